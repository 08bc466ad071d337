/** A file on this device. `size` in bytes; `usedAt`: when it was last shown or stored, epoch ms. */
interface TrimmableFile {
  messageId: string
  size: number
  usedAt: number
  /** It has no other copy, is wanted, or is being viewed. */
  isProtected: boolean
}

/**
 * Which files to remove so that the rest fits the budget: the least recently used, no more than
 * needed.
 */
export function chooseFilesToTrim<T extends TrimmableFile>(
  files: readonly T[],
  budgetBytes: number,
): T[] {
  let excess = files.reduce((sum, { size }) => sum + size, 0) - budgetBytes
  const chosen: T[] = []
  const oldestFirst = files
    .filter(({ isProtected }) => !isProtected)
    .sort((a, b) => a.usedAt - b.usedAt || (a.messageId < b.messageId ? -1 : 1))
  for (const file of oldestFirst) {
    if (excess <= 0) break
    chosen.push(file)
    excess -= file.size
  }
  return chosen
}
