/** One small plausible fault, and the tests that must catch it. */
export interface Mutant {
  /** The fault, in a few words. */
  name: string
  kind: 'skipped step' | 'swapped order' | 'dropped field' | 'off by one'
  /** The changed file, as a path from the root. */
  file: string
  /** Text that occurs once in that file, and its replacement. */
  before: string
  after: string
  /** The test files of which at least one must fail, as paths from the root. */
  tests: readonly [string, ...string[]]
  /** One of the thirty that histories alone must find, too: it breaks a promise where people can see it. */
  isForHistories?: true
}
