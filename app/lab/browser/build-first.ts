import { buildIfNeeded } from '../../../.run/build.mjs'

/** Vitest calls it once before the browser tests, which drive the built app. */
export async function setup() {
  await buildIfNeeded()
}
