import { buildIfNeeded } from '../../../.run/build.mjs'

/** Vitest calls it once before the browser tests: they drive what is built. */
export async function setup() {
  await buildIfNeeded()
}
