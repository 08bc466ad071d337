import * as z from 'zod/mini'
import type { GraphClient } from './graph-client.ts'
import type { Fetched } from './number-information.ts'

/** One step of a message, as WhatsApp remembers it. `at`: epoch ms. */
export interface DeliveryStep {
  status: 'sent' | 'delivered' | 'read' | 'failed'
  at: number
}

const step = z.looseObject({ delivery_status: z.string(), timestamp: z.coerce.number() })
const history = z.looseObject({
  data: z.array(z.looseObject({ events: z.optional(z.looseObject({ data: z.array(step) })) })),
})

const words: Record<string, DeliveryStep['status']> = {
  SENT: 'sent',
  DELIVERED: 'delivered',
  READ: 'read',
  FAILED: 'failed',
}

/**
 * Fetches the history of a message whose webhooks may be lost. Not every app has this right.
 * @returns the known steps, oldest first; none for a message that WhatsApp does not know
 */
export async function fetchDeliveryHistory(
  client: GraphClient,
  message: { phoneNumberId: string; wamid: string },
): Promise<Fetched<DeliveryStep[]>> {
  const answer = await client.call({
    method: 'GET',
    path: `${encodeURIComponent(message.phoneNumberId)}/message_history`,
    query: {
      message_id: message.wamid,
      fields: 'id,message_id,events{delivery_status,timestamp,webhook_update_state}',
    },
  })
  if (answer.kind === 'refused') return answer
  if (answer.kind === 'unknown') return { kind: 'unanswered', why: answer.why }
  const read = history.safeParse(answer.body)
  if (!read.success) return { kind: 'unanswered', why: 'the answer was no history' }
  const steps = read.data.data
    .flatMap(({ events }) => events?.data ?? [])
    .flatMap(({ delivery_status, timestamp }) => {
      const status = words[delivery_status]
      return status ? [{ status, at: timestamp * 1_000 }] : []
    })
  return { kind: 'found', value: steps.toSorted((a, b) => a.at - b.at) }
}
