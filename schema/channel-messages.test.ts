import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ann, ben, messageArbitrary } from './arbitraries.contract.ts'
import { decideMessage } from './decide-message.ts'
import { type MessageDocument, messageDocument } from './message.ts'
import { permitMessageChange } from './permit-message-change.ts'

const now = 100
const write = (fields: Partial<MessageDocument> = {}): MessageDocument =>
  messageDocument.parse({
    _id: '0190a000-0000-7000-8000-0000000000ff',
    peerId: ben,
    senderId: ann,
    recipientId: ben,
    content: 'Hello',
    createdAt: 1,
    orderedAt: 1,
    ...fields,
  })
const asked = { actorId: ann, stored: undefined, isRecipientKnown: true, now }
const template = { name: 'hello_world', data: { language: 'en' } }

describe('what an author writes to somebody on a business channel', () => {
  test('P4: is taken with what it says beside its text, and marked as on its way', () => {
    const proposed = write({ type: 'template', content: '', template })
    expect(decideMessage({ ...asked, proposed, channel: 'author' })).toMatchObject({
      kind: 'accept',
      effect: 'deliver',
      next: { status: 'sent', isWhatsApp: true, waState: 'queued', template, providerVersion: 1 },
    })
    // The channel has no say between people here.
    expect(decideMessage({ ...asked, proposed })).toMatchObject({
      kind: 'refuse',
      refusal: { code: 'type_not_allowed' },
    })
    const plain = write({ location: { latitude: 1 }, isWhatsApp: true })
    const decided = decideMessage({ ...asked, proposed: plain })
    expect(decided.kind === 'accept' && decided.next).not.toHaveProperty('location')
    expect(decided.kind === 'accept' && decided.next).not.toHaveProperty('isWhatsApp')
  })

  test('P4: says nothing of what only WhatsApp can tell', () => {
    const proposed = write({
      whatsapp_message_id: 'wamid.forged',
      waState: 'accepted',
      from_phone: '1',
      providerVersion: 99,
      reactions: { [ben]: { emoji: '👍', at: 1 } },
    })
    const decided = decideMessage({ ...asked, proposed, channel: 'author' })
    const next = decided.kind === 'accept' ? decided.next : undefined
    expect(next).toMatchObject({ waState: 'queued', providerVersion: 1 })
    for (const field of ['whatsapp_message_id', 'from_phone', 'reactions']) {
      expect(next).not.toHaveProperty(field)
    }
  })

  test('cannot be edited once it has left, and says so to its author with the words', () => {
    const stored = write({ status: 'sent', isWhatsApp: true, attempt: 1 })
    const proposed = { ...stored, content: 'Other words', editedAt: 50 }
    const { next, refusal } = permitMessageChange({ actorId: ann, stored, proposed, now })
    expect(refusal).toEqual({
      code: 'not_editable',
      error: 'WhatsApp messages cannot be edited',
    })
    expect(next).toMatchObject({ content: 'Hello', refused: { content: 'Other words' } })
    const failed = { ...stored, status: 'failed' as const }
    const again = { ...proposed, status: 'sending' as const, attempt: 2 }
    const retried = permitMessageChange({ actorId: ann, stored: failed, proposed: again, now })
    expect(retried).toMatchObject({ isRetry: true, next: { content: 'Other words' } })
  })
})

describe('what the provider says', () => {
  test('P5: brings a message only further, whatever was there', () => {
    fc.assert(
      fc.property(messageArbitrary, messageArbitrary, (one, other) => {
        const people = { peerId: ben, senderId: ann, recipientId: ben, isWhatsApp: true }
        const [stored, proposed] = [
          { ...one, ...people },
          { ...other, ...people },
        ]
        const told = { actorId: ann, isRecipientKnown: true, now, channel: 'provider' as const }
        const first = decideMessage({ ...told, stored, proposed })
        if (first.kind === 'keep') return
        const { next } = first
        expect(next.attempt).toBeGreaterThanOrEqual(stored.attempt)
        // Repeating it, or sending the older one, changes nothing.
        expect(decideMessage({ ...told, stored: next, proposed }).kind).toBe('keep')
        expect(decideMessage({ ...told, stored: next, proposed: stored }).kind).toBe('keep')
      }),
      { numRuns: 1_000 },
    )
  })

  test('P8: is only ever about its operator’s own copies', () => {
    const proposed = write({ senderId: ben, recipientId: ben })
    const decided = decideMessage({ ...asked, proposed, channel: 'provider' })
    expect(decided).toMatchObject({ kind: 'refuse' })
  })
})
