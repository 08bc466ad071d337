import * as z from 'zod/mini'
import type { GraphAnswer } from '../client/graph-client.ts'
import type { ProviderError } from '../client/provider-error.ts'
import { nextRetryMs } from '../client/retry-delay.ts'

/**
 * A send's outcome. `accepted` is not delivered: webhooks bring the rest. `unknown` may have been
 * accepted and must not be resent; a status with our own id settles it.
 */
export type SendOutcome =
  | {
      kind: 'accepted'
      wamid: string
      /** The number in WhatsApp's form, which can differ from the given one. */
      waId: string | null
      /** The person's id within the business, if sent to one. */
      userId: string | null
      /** For templates: `accepted`, `held_for_quality_assessment`, `paused`. */
      messageStatus: string | null
    }
  | { kind: 'rejected'; error: ProviderError }
  /** `attempts`: the number of tries so far, for the next try. */
  | { kind: 'retryable'; error: ProviderError; afterMs: number; attempts: number }
  | { kind: 'unknown'; why: string }

const accepted = z.looseObject({
  contacts: z.catch(
    z.array(z.looseObject({ wa_id: z.optional(z.string()), user_id: z.optional(z.string()) })),
    [],
  ),
  messages: z
    .array(z.looseObject({ id: z.string(), message_status: z.optional(z.string()) }))
    .check(z.minLength(1)),
})

/**
 * Classifies the answer to a send.
 * @param attempt how often this message was sent before, which decides when to retry
 */
export function classifySend(answer: GraphAnswer, attempt: number): SendOutcome {
  if (answer.kind === 'unknown') return answer
  if (answer.kind === 'refused') return classifyRefusal(answer.error, attempt)
  const read = accepted.safeParse(answer.body)
  const message = read.data?.messages[0]
  if (!message) return { kind: 'unknown', why: 'the answer named no message' }
  const contact = read.data?.contacts[0]
  return {
    kind: 'accepted',
    wamid: message.id,
    waId: contact?.wa_id ?? null,
    userId: contact?.user_id ?? null,
    messageStatus: message.message_status ?? null,
  }
}

function classifyRefusal(error: ProviderError, attempt: number): SendOutcome {
  const afterMs = error.remedy === 'later' ? nextRetryMs({ error, attempt }) : null
  if (afterMs === null) return { kind: 'rejected', error }
  return { kind: 'retryable', error, afterMs, attempts: attempt + 1 }
}
