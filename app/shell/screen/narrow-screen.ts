import { limits } from '../../../schema/limits.ts'

/** Only the list or only the conversation shows. */
export const narrowScreen = `(max-width: ${limits.tabletBelowPx - 1}px)`

/** The drawer takes the rail's place. */
export const phoneScreen = `(max-width: ${limits.mobileBelowPx - 1}px)`
