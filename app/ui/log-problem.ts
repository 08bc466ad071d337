import { wordsOf } from '../../schema/helpers/words-of.ts'
/** Logs one line to the browser's console, for failures that cost only decoration. */
export function logProblem(what: string, error: unknown): void {
  console.error(`${what}: ${wordsOf(error)}`)
}
