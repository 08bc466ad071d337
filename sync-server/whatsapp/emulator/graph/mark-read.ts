import * as z from 'zod/mini'
import type { Emulation } from '../state/emulation.ts'
import { GraphFault } from '../wire/graph-fault.ts'
import { type GraphReply, succeed } from './graph-call.ts'

const readMark = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  status: z.literal('read'),
  message_id: z.string(),
  typing_indicator: z.optional(z.strictObject({ type: z.literal('text') })),
})

/** Marks a person's message, and all before it, as read. */
export function markRead({ state }: Emulation, body: Record<string, unknown>): GraphReply {
  const mark = readMark.safeParse(body)
  if (!mark.success) throw new GraphFault(100, { details: 'Unexpected body for status read' })
  const target = state.received.find(({ wamid }) => wamid === mark.data.message_id)
  if (!target) throw new GraphFault(131009, { details: 'message_id is not a known message' })
  for (const message of state.received) {
    const isOfThread =
      message.customer === target.customer && message.phoneNumberId === target.phoneNumberId
    if (isOfThread && message.at <= target.at) message.isRead = true
  }
  return succeed()
}
