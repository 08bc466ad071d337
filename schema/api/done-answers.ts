import * as z from 'zod/mini'

/*
 * Answers of calls that report only success. Callers accept nothing else: a 200 from an
 * intermediary, such as a hotel's sign-in page, means that nothing was done.
 */
export const accountDeleted = z.object({ isDeleted: z.literal(true) })
export const sessionEnded = z.object({ isEnded: z.literal(true) })
export const passwordChanged = z.object({ isChanged: z.literal(true) })
export const personReported = z.object({ isReported: z.literal(true) })
export const signedOut = z.object({ isSignedOut: z.boolean() })
export const onlineNoted = z.object({ isOnline: z.boolean() })
export const messagesDeleted = z.object({ messageIds: z.array(z.string()) })
export const uploadEnded = z.object({ isEnded: z.literal(true) })
