import * as z from 'zod/mini'

/*
 * What the calls answer that have nothing to tell but that it is done. Whoever asked believes nothing else: a 200
 * of somebody in between, such as a hotel's sign-in page, has done nothing.
 */
export const accountDeleted = z.object({ isDeleted: z.literal(true) })
export const sessionEnded = z.object({ isEnded: z.literal(true) })
export const passwordChanged = z.object({ isChanged: z.literal(true) })
export const personReported = z.object({ isReported: z.literal(true) })
export const signedOut = z.object({ isSignedOut: z.boolean() })
export const onlineNoted = z.object({ isOnline: z.boolean() })
export const messagesDeleted = z.object({ messageIds: z.array(z.string()) })
export const uploadEnded = z.object({ isEnded: z.literal(true) })
