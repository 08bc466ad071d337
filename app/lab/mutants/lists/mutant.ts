/** One small fault that somebody could make, and the tests that have to notice it. */
export interface Mutant {
  /** What goes wrong, in a few words. */
  name: string
  kind: 'skipped step' | 'swapped order' | 'dropped field' | 'off by one'
  /** The file it is made in, as a path from the top. */
  file: string
  /** Text of that file, which stands there once; and what stands in its place. */
  before: string
  after: string
  /** The test files of which one at least has to fail, as paths from the top. */
  tests: readonly [string, ...string[]]
}
