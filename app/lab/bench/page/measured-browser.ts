import type { PersonOptions } from '../../browser/person.ts'

/** A browser as people have it: with the app installed, its data on disk, and motion. */
export const measuredBrowser = {
  keepsApp: true,
  hasOwnBrowser: true,
  reducedMotion: 'no-preference',
} as const satisfies PersonOptions
