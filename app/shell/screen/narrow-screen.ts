import { limits } from '../../../schema/limits.ts'

/** Shows only the list or only the conversation. */
export const narrowScreen = `(max-width: ${limits.tabletBelowPx - 1}px)`

/** The drawer replaces the rail. */
export const phoneScreen = `(max-width: ${limits.mobileBelowPx - 1}px)`
