import type { Step } from './draw-history.ts'

/**
 * Removes ever smaller parts of a failing history, as long as the rest still fails (delta
 * debugging, Zeller 1999).
 */
export async function shrinkHistory(options: {
  history: readonly Step[]
  failure: unknown
  tries: number
  /** The failure, or undefined. */
  tryHistory: (history: readonly Step[]) => Promise<unknown>
}): Promise<{ history: readonly Step[]; failure: unknown }> {
  const { tryHistory } = options
  let { history, failure, tries } = options
  for (let part = Math.ceil(history.length / 2); part >= 1; part = Math.floor(part / 2)) {
    for (let from = 0; from < history.length && tries > 0; ) {
      const shorter = history.toSpliced(from, part)
      tries -= 1
      const found = await tryHistory(shorter)
      if (found) {
        history = shorter
        failure = found
      } else from += part
    }
  }
  return { history, failure }
}
