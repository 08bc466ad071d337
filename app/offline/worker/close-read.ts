import * as z from 'zod/mini'
import type { ChatStates } from './chat-states.ts'
import type { WorkerScope } from './worker-scope.ts'

const chatData = z.object({ peerId: z.string(), upTo: z.optional(z.number()) })

/** The chats that have a notification on this device. */
export async function listShownChats({
  registration,
}: Pick<WorkerScope, 'registration'>): Promise<string[]> {
  return (await registration.getNotifications()).flatMap(({ data }) => {
    const read = chatData.safeParse(data)
    return read.success ? [read.data.peerId] : []
  })
}

/** Closes the notifications of chats that were read elsewhere. */
export async function closeRead(
  { registration }: Pick<WorkerScope, 'registration'>,
  states: ChatStates,
): Promise<void> {
  for (const notification of await registration.getNotifications()) {
    const read = chatData.safeParse(notification.data)
    const state = read.success ? states.get(read.data.peerId) : undefined
    if (!read.success || !state) continue
    const { upTo } = read.data
    if (upTo !== undefined && upTo <= state.seenUpTo) notification.close()
  }
}
