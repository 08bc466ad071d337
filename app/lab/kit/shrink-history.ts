/**
 * Removes ever smaller parts of a failing history, as long as the rest still fails (delta
 * debugging, Zeller 1999).
 */
export async function shrinkHistory<Step, Failure>(options: {
  history: readonly Step[]
  failure: Failure
  tries: number
  /** The failure, or undefined. */
  tryHistory: (history: readonly Step[]) => Promise<Failure | undefined>
}): Promise<{ history: readonly Step[]; failure: Failure }> {
  const { tryHistory } = options
  let { history, failure, tries } = options
  for (let part = Math.ceil(history.length / 2); part >= 1; ) {
    const before = history.length
    for (let from = 0; from < history.length && tries > 0; ) {
      const shorter = history.toSpliced(from, part)
      tries -= 1
      const found = await tryHistory(shorter)
      if (found) {
        history = shorter
        failure = found
      } else from += part
    }
    // What a later step needed may be needless without it.
    const isOver = part > 1 || tries <= 0 || history.length === before
    part = isOver ? Math.floor(part / 2) : part
  }
  return { history, failure }
}
