import { failMessage } from './decide-message.ts'
import { sealedPart } from './encryption/sealed-part.ts'
import { idPattern } from './id.ts'
import { type MessageDocument, messageDocument } from './message.ts'
import { refuse } from './refusal.ts'

/**
 * Builds a failed own copy from a document that does not parse, keeping every readable part, so
 * that its author finds the text and the reason, and its neighbours in the batch pass (P6).
 * `peerId` falls back to the author's own id, which no screen lists.
 */
export function salvageMessage(unreadable: {
  id: string
  actorId: string
  raw: Record<string, unknown>
  now: number
}): MessageDocument {
  const { raw, actorId, now } = unreadable
  const peerId = [raw.peerId, raw.recipientId].find(isId) ?? actorId
  const time = (value: unknown) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
      ? Math.min(value, now)
      : now
  const attempt = Number.isInteger(raw.attempt)
    ? Math.min(Math.max(Number(raw.attempt), 1), 999_999)
    : 1
  const proposed = messageDocument.parse({
    _id: unreadable.id,
    peerId,
    senderId: actorId,
    recipientId: peerId,
    content: readText(raw.content),
    ...(sealedPart.safeParse(raw.sealed).success && { sealed: raw.sealed }),
    createdAt: time(raw.createdAt),
    orderedAt: time(raw.orderedAt),
    attempt,
  })
  return failMessage({ actorId, proposed, refusal: refuse('unreadable'), now })
}

function readText(content: unknown): string {
  if (typeof content === 'string') return content
  return content === undefined || content === null ? '' : (JSON.stringify(content) ?? '')
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value)
}
