import * as z from 'zod/mini'
import { id } from '../id.ts'
import { messageStatuses } from '../message.ts'

const isoTime = z.iso.datetime()
const count = z.int().check(z.gte(0))

/** A webhook as its operator sees it; its payload never leaves the server. */
export const webhookStatusAnswer = z.object({
  id: z.string(),
  status: z.enum(['received', 'processing', 'processed', 'failed', 'ignored', 'duplicate']),
  attempts: count,
  receivedAt: isoTime,
  processedAt: z.nullable(isoTime),
  items: z.array(
    z.object({
      kind: z.string(),
      whatsapp_message_id: z.nullable(z.string()),
      outcome: z.string(),
      messageId: z.nullable(id),
    }),
  ),
  error: z.nullable(z.string()),
})
export type WebhookStatusAnswer = z.infer<typeof webhookStatusAnswer>

/** The answer to POST /webhooks/reprocess/{id}; `whatsapp-webhook-processed` reports the result. */
export const webhookReprocessed = z.object({
  success: z.literal(true),
  id: z.string(),
  status: z.literal('processing'),
})

/** A channel message's status, and its source: our own call, or a webhook. */
export const whatsAppStatusAnswer = z.object({
  messageId: id,
  whatsapp_message_id: z.nullable(z.string()),
  status: z.enum(messageStatuses),
  history: z.array(z.object({ status: z.enum(messageStatuses), timestamp: isoTime })),
  error: z.nullable(z.string()),
})
export type WhatsAppStatusAnswer = z.infer<typeof whatsAppStatusAnswer>

/** Traffic over the caller's number since this server started. */
export const webhookStats = z.object({
  phone_number_id: z.nullable(z.string()),
  received: count,
  processed: count,
  failed: count,
  ignored: count,
  duplicates: count,
  invalidSignatures: count,
  pending: count,
  messages: z.object({
    inbound: count,
    outbound: count,
    byType: z.record(z.string(), count),
  }),
  statuses: z.object({ sent: count, delivered: count, read: count, failed: count }),
  lastReceivedAt: z.nullable(isoTime),
  lastProcessedAt: z.nullable(isoTime),
  avgProcessingMs: z.number(),
})
export type WebhookStats = z.infer<typeof webhookStats>
