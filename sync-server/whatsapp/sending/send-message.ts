import * as z from 'zod/mini'
import type { CircuitBreaker } from '../client/circuit-breaker.ts'
import type { GraphAnswer, GraphClient } from '../client/graph-client.ts'
import { makeUnreachableError, type ProviderError } from '../client/provider-error.ts'
import { realWaiting, type SendLimiter, type Waiting } from '../client/send-limiter.ts'
import { buildSendBody, type Recipient } from '../content/build-send-body.ts'
import type { OutgoingMessage } from '../content/outgoing-message.ts'

const base = 4

const jitter = 0.2

const accepted = z.looseObject({
  contacts: z.catch(
    z.array(z.looseObject({ wa_id: z.optional(z.string()), user_id: z.optional(z.string()) })),
    [],
  ),
  messages: z
    .array(z.looseObject({ id: z.string(), message_status: z.optional(z.string()) }))
    .check(z.minLength(1)),
})

export interface SendRequest {
  phoneNumberId: string
  to: Recipient
  message: OutgoingMessage
  /** Ours. */
  messageId: string
  replyTo?: string | undefined
  /** How often it was refused before. */
  attempt?: number
  /** The longest wait for its turn, ms. */
  waitMaxMs?: number
}

const quickRetryMs = 500

/** A browser waits fifteen seconds in all. */
const usualWaitMs = 3_000

/** Worth an immediate retry; limits are not. */
const quicklyOver = [1, 2, 131000, 131016, 133004, 130429]

const numberIsTooFast = 130429

const pairIsTooFast = 131056

/**
 * Sends messages: each in its turn, with at most one retry within the call, and never again once it
 * may have been accepted. The caller retries `retryable` ones later.
 */
export function createMessageSender(options: {
  client: GraphClient
  limiter: SendLimiter
  breaker: CircuitBreaker
  waiting?: Waiting
}) {
  const { client, limiter, breaker, waiting = realWaiting } = options

  async function sendOnce(request: SendRequest, attempt: number): Promise<SendOutcome> {
    const blocked = breaker.check()
    if (blocked) return { kind: 'rejected', error: blocked }
    const path = `${encodeURIComponent(request.phoneNumberId)}/messages`
    const answer = await client.call({ method: 'POST', path, json: buildSendBody(request) })
    const outcome = classifySend(answer, attempt)
    const error = 'error' in outcome ? outcome.error : null
    // No answer says nothing about the token.
    if (outcome.kind === 'accepted' || typeof error?.code === 'number') breaker.record(error)
    if (error) hold(request, error, outcome)
    return outcome
  }

  /** Applies this send's limit to the others that wait. */
  function hold(request: SendRequest, { code }: ProviderError, outcome: SendOutcome) {
    if (outcome.kind !== 'retryable') return
    const { phoneNumberId: numberId, to } = request
    if (code === numberIsTooFast) limiter.hold({ numberId, ms: Math.min(outcome.afterMs, 1_000) })
    if (code === pairIsTooFast) {
      limiter.hold({ numberId, contact: nameContact(to), ms: outcome.afterMs })
    }
  }

  async function sendWithRetry(request: SendRequest): Promise<SendOutcome> {
    const { attempt = 0 } = request
    const first = await sendOnce(request, attempt)
    if (first.kind !== 'retryable' || !isQuicklyOver(first.error)) return first
    await waiting.sleep(quickRetryMs)
    return await sendOnce(request, first.attempts)
  }

  return {
    /** @throws Error for a recipient that is no number: a caller's bug */
    async send(request: SendRequest): Promise<SendOutcome> {
      const { phoneNumberId: numberId, to, waitMaxMs = usualWaitMs } = request
      const turn = await limiter.run({ numberId, contact: nameContact(to), waitMaxMs }, () =>
        sendWithRetry(request),
      )
      if ('result' in turn) return turn.result
      const error: ProviderError = {
        ...makeUnreachableError(),
        words: 'Too many messages at once. The message waits.',
        status: 429,
      }
      return { kind: 'retryable', error, afterMs: turn.afterMs, attempts: request.attempt ?? 0 }
    },
  }
}

function isQuicklyOver({ code }: ProviderError): boolean {
  return code === null || quicklyOver.includes(code)
}

function nameContact(to: Recipient): string {
  return 'phone' in to ? to.phone.replaceAll(/\D/g, '') : to.userId
}

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

/**
 * Classifies the answer to a send.
 * @param attempt how often this message was sent before, which decides when to retry
 */
function classifySend(answer: GraphAnswer, attempt: number): SendOutcome {
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

/**
 * The wait before retrying a refused send: 1, 4, 16, 64, 256 s, each ±20 %.
 * @param attempt how often it was tried before this refusal
 * @returns ms, or null to give up
 */
export function nextRetryMs({
  error,
  attempt,
  random = Math.random,
}: {
  error: Pick<ProviderError, 'retriesMax' | 'afterMs'>
  attempt: number
  random?: () => number
}): number | null {
  if (attempt >= error.retriesMax) return null
  const wait = 1_000 * base ** attempt * (1 - jitter + 2 * jitter * random())
  return Math.round(Math.max(wait, error.afterMs))
}
