import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ann, ben, messageArbitrary } from './arbitraries.contract.ts'
import { decideMessage, type MessageProposal } from './decide-message.ts'
import { must } from './helpers/assertions.ts'
import { limits } from './limits.ts'
import { areMessagesEqual, mergeMessages } from './merge-messages.ts'
import { isAccepted, type MessageDocument, messageDocument } from './message.ts'
import { copyForPeer } from './peer-copy.ts'
import { permitMessageChange } from './permit-message-change.ts'
import { salvageMessage } from './salvage-message.ts'

const now = 1_000
const id = '0190a000-0000-7000-8000-0000000000ff'

const written: MessageDocument = messageDocument.parse({
  _id: id,
  peerId: ben,
  senderId: ann,
  recipientId: ben,
  content: 'hello',
  createdAt: 900,
  orderedAt: 901,
})

function decide(proposal: Partial<MessageProposal>) {
  return decideMessage({
    actorId: ann,
    stored: undefined,
    proposed: written,
    isRecipientKnown: true,
    now,
    ...proposal,
  })
}

function accept(proposal: Partial<MessageProposal>): MessageDocument {
  const decision = decide(proposal)
  if (decision.kind !== 'accept') throw new Error(`Expected accept, got ${decision.kind}`)
  return decision.next
}

function refuse(proposal: Partial<MessageProposal>) {
  const decision = decide(proposal)
  if (decision.kind !== 'refuse') throw new Error(`Expected refuse, got ${decision.kind}`)
  return decision
}

const sent = accept({})

test('P6: what its author changes in a refused message stays with its author', () => {
  const { next: stored } = refuse({ proposed: { ...written, type: 'template' } })
  const proposed = { ...stored, deletedAt: now }
  expect(decide({ stored, proposed })).toMatchObject({ kind: 'accept', effect: 'own' })
})

describe('P4: a new message', () => {
  test('is sent, with the time of its acceptance', () => {
    expect(decide({})).toMatchObject({ kind: 'accept', effect: 'deliver' })
    expect(sent).toMatchObject({
      status: 'sent',
      content: 'hello',
      statusHistory: [{ status: 'sent', timestamp: now }],
    })
  })

  test('P2: sent twice is sent once', () => {
    expect(decide({ stored: sent })).toEqual({ kind: 'keep' })
    expect(decide({ stored: sent, proposed: sent })).toEqual({ kind: 'keep' })
  })

  test('P8: cannot pretend to come from a provider', () => {
    const claimed = { isWhatsApp: true, senderName: 'Your bank', whatsapp_message_id: 'wamid.1' }
    const next = accept({ proposed: { ...written, ...claimed } })
    expect(next).toEqual(sent)
  })

  test('from a clock that runs ahead is written now, not in the future', () => {
    expect(accept({ proposed: { ...written, createdAt: now + 7_200_000 } }).createdAt).toBe(now)
  })

  test.each([
    ['a forged sender', { senderId: ben }, 'wrong_sender'],
    ['another conversation than its recipient', { peerId: ann }, 'wrong_sender'],
    ['oneself as recipient', { peerId: ann, recipientId: ann }, 'to_yourself'],
    ['no text', { content: ' \n' }, 'empty'],
    ['nothing to see', { content: '\u200b\u2060 \ufe0f' }, 'empty'],
    ['a template', { type: 'template' as const }, 'type_not_allowed'],
    ['a foreign attachment', { mediaUrl: 'https://evil.example/x.png' }, 'media_not_allowed'],
    ['a forged receipt', { status: 'read' as const }, 'forged_status'],
  ])('P6: with %s is refused and keeps its text', (_what, change, code) => {
    const proposed = { ...written, ...change }
    const { next, refusal } = refuse({ proposed })
    expect(refusal.code).toBe(code)
    expect(next).toMatchObject({ status: 'failed', errorCode: code, content: proposed.content })
    expect(next.senderId).toBe(ann)
    expect(mergeMessages(next, proposed).status).toBe('failed')
  })

  test('P6: with too long a text is refused and keeps of it what an accepted one may have', () => {
    const content = 'x'.repeat(limits.messageMaxCharacters)
    const { next, refusal } = refuse({ proposed: { ...written, content: `${content}xx` } })
    expect(refusal.code).toBe('too_long')
    expect(next).toMatchObject({ status: 'failed', errorCode: 'too_long', content })
  })

  test('P6: to nobody is refused', () => {
    expect(refuse({ isRecipientKnown: false }).refusal.code).toBe('unknown_person')
  })

  test('P1: that was acknowledged once, and that the server has forgotten, is sent as it was', () => {
    const edited = { ...sent, content: 'better', editedAt: 950, isStarred: true, isStarredAt: 960 }
    const returned = { kind: 'accept', effect: 'deliver', next: edited }
    expect(decide({ proposed: edited })).toEqual(returned)
    const deleted = { ...sent, content: '', deletedAt: 970 }
    expect(decide({ proposed: deleted })).toEqual({ ...returned, next: deleted })
    const ahead = { ...edited, editedAt: now + 5_000 }
    expect(accept({ proposed: ahead })).toMatchObject({ content: 'better', editedAt: now })
  })

  test('P6: that was acknowledged once is refused like any other where nobody can get it', () => {
    const { next, refusal } = refuse({ proposed: sent, isRecipientKnown: false })
    expect(refusal.code).toBe('unknown_person')
    expect(next).toMatchObject({ status: 'failed', content: 'hello' })
  })

  test('P8: of the other person comes from a reader only where the server has forgotten', () => {
    const received = { ...copyForPeer(sent, now), senderId: ben, recipientId: ann, peerId: ben }
    expect(decide({ proposed: received })).toEqual({ kind: 'keep' })
    const lost = [{ after: 0, upTo: received.orderedAt }]
    const decision = { kind: 'accept', effect: 'own', next: received }
    expect(decide({ proposed: received, lost })).toEqual(decision)
    const later = { ...received, orderedAt: received.orderedAt + 1 }
    expect(decide({ proposed: later, lost })).toEqual({ kind: 'keep' })
    const content = 'x'.repeat(limits.messageMaxCharacters + 1)
    expect(decide({ proposed: { ...received, content }, lost })).toEqual({ kind: 'keep' })
  })

  test('deleted before it was sent is never delivered', () => {
    expect(decide({ proposed: { ...written, deletedAt: 950 } })).toMatchObject({
      kind: 'accept',
      effect: 'own',
      next: { status: 'failed', content: '', deletedAt: 950 },
    })
  })

  test('P6: an unreadable one is kept for its author, with its text', () => {
    const next = salvageMessage({
      id,
      actorId: ann,
      raw: { peerId: ben, content: { text: 'poison' }, attempt: 3, createdAt: 'yesterday' },
      now,
    })
    expect(next).toMatchObject({
      status: 'failed',
      errorCode: 'unreadable',
      peerId: ben,
      attempt: 3,
    })
    expect(next.content).toContain('poison')
  })
})

describe('P4: a refused message', () => {
  const failed = refuse({ proposed: { ...written, content: '' } }).next

  test('is sent by a retry under a higher attempt, with its new text', () => {
    const retry = { ...written, attempt: 2, content: 'hello again', editedAt: 990 }
    const next = accept({ stored: failed, proposed: retry })
    expect(next).toMatchObject({ status: 'sent', attempt: 2, content: 'hello again' })
    expect(next.error).toBeUndefined()
    expect(next.statusHistory.map((entry) => entry.status)).toEqual(['failed', 'sent'])
  })

  test('has the new address of a file that its author has uploaded again, and none while it is owed', () => {
    const file = { name: 'map.txt', size: 5, mimeType: 'text/plain' }
    const lost = { ...failed, file, mediaUrl: '/api/media/1', errorCode: 'media_not_allowed' }
    const again = { ...written, content: '', type: 'document' as const, file, attempt: 2 }
    const next = accept({ stored: lost, proposed: { ...again, mediaUrl: '/api/media/2' } })
    expect(next).toMatchObject({ status: 'sent', type: 'document', mediaUrl: '/api/media/2' })
    const refused = refuse({ stored: lost, proposed: again }).next
    expect(refused).toMatchObject({ status: 'failed', errorCode: 'media_not_allowed' })
  })

  test('is refused again while it is still wrong', () => {
    const next = refuse({ stored: failed, proposed: { ...written, attempt: 2, content: '' } }).next
    expect(next).toMatchObject({ status: 'failed', attempt: 2, errorCode: 'empty' })
  })

  test('is not sent by a stale copy of the first attempt', () => {
    expect(decide({ stored: failed })).toEqual({ kind: 'keep' })
  })

  test('can be discarded, and stays so', () => {
    const discarded = accept({ stored: failed, proposed: { ...failed, deletedAt: 990 } })
    expect(discarded).toMatchObject({ deletedAt: 990, content: '' })
    expect(decide({ stored: discarded, proposed: { ...written, attempt: 2 } })).toEqual({
      kind: 'keep',
    })
  })
})

describe('P4: a message that both hold', () => {
  const atBen = copyForPeer(sent, now)

  test('is edited and deleted by its author, for both', () => {
    const edit = { ...sent, content: 'hello!', editedAt: 990 }
    expect(decide({ stored: sent, proposed: edit })).toMatchObject({
      effect: 'amend',
      next: { content: 'hello!', editedAt: 990 },
    })
    expect(decide({ stored: sent, proposed: { ...sent, deletedAt: 995 } })).toMatchObject({
      effect: 'amend',
      next: { content: '', deletedAt: 995 },
    })
  })

  test('is starred by either, in the own copy only', () => {
    const star = { isStarred: true, isStarredAt: 990 }
    expect(decide({ stored: sent, proposed: { ...sent, ...star } })).toMatchObject({
      effect: 'own',
      next: star,
    })
    expect(decide({ actorId: ben, stored: atBen, proposed: { ...atBen, ...star } })).toMatchObject({
      effect: 'own',
      next: star,
    })
  })

  test.each([
    ['edit', { content: 'I never said that', editedAt: 990 }],
    ['delete', { deletedAt: 990 }],
  ])('P6: its reader cannot %s it', (_what, change) => {
    const { next, refusal } = refuse({
      actorId: ben,
      stored: atBen,
      proposed: { ...atBen, ...change },
    })
    expect(refusal.code).toBe('not_author')
    expect(next).toMatchObject({ content: 'hello', refused: { code: 'not_author' } })
    expect(next.deletedAt).toBeUndefined()
  })

  test('P6: an edit after the deletion is refused, and its text comes back to its author', () => {
    const deleted = accept({ stored: sent, proposed: { ...sent, deletedAt: 950 } })
    const { next } = refuse({
      stored: deleted,
      proposed: { ...sent, content: 'better', editedAt: 990 },
    })
    expect(next).toMatchObject({ content: '', refused: { code: 'deleted', content: 'better' } })
  })

  const tooLong = 'z'.repeat(limits.messageMaxCharacters + 1)

  test.each([
    ['at the time of the stored text', { editedAt: 950, refusedAt: undefined }],
    ['after it, with a note of a refusal that lies ahead', { editedAt: 960, refusedAt: 2_000_000 }],
  ])('P6 P12: an edit %s is checked like any other', (_what, { editedAt, refusedAt }) => {
    const stored = { ...sent, content: 'a', editedAt: 950 }
    const refused = refusedAt && { at: refusedAt, code: 'deleted', error: 'It was deleted.' }
    const noted = accept({
      stored,
      proposed: { ...stored, isStarred: true, isStarredAt: 940, ...(refused && { refused }) },
    })
    const proposed = { ...noted, content: tooLong, editedAt }
    const { next, refusal } = refuse({ stored: noted, proposed })
    expect(refusal.code).toBe('too_long')
    expect(next.content).toBe('a')
    const merged = mergeMessages(next, proposed)
    expect(merged.content).toBe('a')
    expect(merged.editedAt).toBeLessThanOrEqual(now + 1)
  })

  test('P5: of two texts at one time the same one wins in either order', () => {
    const stored = { ...sent, content: 'b', editedAt: 950 }
    const greater = { ...stored, content: 'c' }
    expect(accept({ stored, proposed: greater })).toMatchObject({ content: 'c', editedAt: 950 })
    expect(decide({ stored: greater, proposed: stored })).toEqual({ kind: 'keep' })
  })

  test('P6: its author cannot claim that it was read', () => {
    const { next, refusal } = refuse({ stored: sent, proposed: { ...sent, status: 'read' } })
    expect(refusal.code).toBe('forged_status')
    expect(next.status).toBe('sent')
  })

  test('P6: nobody can turn it into a message to somebody else', () => {
    const { refusal, next } = refuse({
      stored: sent,
      proposed: { ...sent, recipientId: ann, peerId: ann },
    })
    expect(refusal.code).toBe('foreign_id')
    expect(next.recipientId).toBe(ben)
  })
})

describe('P4 and P6: whatever is proposed', () => {
  const anyStored = messageArbitrary
    .filter((message) => message.status !== 'sending')
    .map((message) => ({ ...message, senderId: ann, recipientId: ben, peerId: ben }))

  test('deciding again about what was stored changes nothing more', () => {
    fc.assert(
      fc.property(
        fc.option(anyStored, { nil: undefined }),
        messageArbitrary,
        (stored, proposed) => {
          const first = decide({ stored, proposed })
          if (first.kind === 'keep') return
          expect(decide({ stored: first.next, proposed: first.next }).kind).toBe('keep')
        },
      ),
      {
        numRuns: 2_000,
        // Refused twice within one millisecond.
        examples: [
          [
            {
              ...sent,
              content: '',
              status: 'failed' as const,
              attempt: 1,
              statusHistory: [
                { status: 'failed' as const, timestamp: now },
                { status: 'failed' as const, timestamp: now },
              ],
            },
            { ...written, content: '', attempt: 2 },
          ],
        ],
      },
    )
  })

  test('a device that resolves against the stored version and pushes again comes to rest', () => {
    fc.assert(
      fc.property(fc.option(anyStored, { nil: undefined }), messageArbitrary, (start, proposed) => {
        let stored = start
        let local = proposed
        for (let round = 0; round < 6; round += 1) {
          const decision = decide({ stored, proposed: local, now: now + round })
          if (decision.kind !== 'keep') stored = decision.next
          // Fields known only to the reader's device stay there, and it does not ask again.
          if (decision.kind === 'keep' && !stored) return
          const master = must(stored, 'what the first round stored')
          if (areMessagesEqual(master, local)) return
          local =
            decision.kind === 'accept'
              ? master
              : permitMessageChange({
                  actorId: ann,
                  stored: master,
                  proposed: local,
                  now: now + round,
                }).next
        }
        throw new Error('still pushing after six rounds')
      }),
      { numRuns: 5_000 },
    )
  })

  test('P8: only an own, unaccepted message is ever delivered', () => {
    fc.assert(
      fc.property(
        fc.option(anyStored, { nil: undefined }),
        messageArbitrary,
        (stored, proposed) => {
          const decision = decide({ stored, proposed })
          if (decision.kind !== 'accept' || decision.effect !== 'deliver') return
          expect(decision.next.senderId).toBe(ann)
          expect(decision.next.recipientId).toBe(ben)
          expect(stored && isAccepted(stored)).toBeFalsy()
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
