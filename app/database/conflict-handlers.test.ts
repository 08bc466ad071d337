import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ann, conversationArbitrary, messageArbitrary } from '../../schema/arbitraries.contract.ts'
import {
  areConversationsEqual,
  type ConversationDocument,
  newConversation,
} from '../../schema/conversation.ts'
import { decideConversation } from '../../schema/decide-conversation.ts'
import { decideMessage } from '../../schema/decide-message.ts'
import type { MessageDocument } from '../../schema/message.ts'
import {
  createConversationConflictHandler,
  createMessageConflictHandler,
} from './conflict-handlers.ts'
import { fromStoredConversation } from './stored-conversation.ts'
import { fromStoredMessage, toStoredMessage } from './stored-message.ts'

const now = () => 3
const messages = createMessageConflictHandler({ userId: ann, now })
const conversations = createConversationConflictHandler({ now })
const mostRounds = 3

/** What the server holds after a device has proposed its version. */
function decide(stored: MessageDocument, proposed: MessageDocument): MessageDocument {
  const decision = decideMessage({
    actorId: ann,
    stored,
    proposed,
    isRecipientKnown: true,
    now: now(),
  })
  return decision.kind === 'keep' ? stored : decision.next
}

test('P5: whatever a device and the server hold of a message, a few exchanges make them equal', async () => {
  const proof = fc.asyncProperty(messageArbitrary, messageArbitrary, async (first, written) => {
    let [server, device] = [first, written]
    for (
      let round = 0;
      round < mostRounds && !messages.isEqual(alive(server), alive(device), '');
      round++
    ) {
      const resolved = await messages.resolve(
        { newDocumentState: alive(device), realMasterState: alive(server) },
        '',
      )
      device = fromStoredMessage(resolved)
      server = decide(server, device)
    }
    expect(device).toEqual(server)
  })
  await fc.assert(proof, { numRuns: 2_000 })
})

test('P5: whatever a device and the server hold of a conversation, a few exchanges make them equal', async () => {
  const proof = fc.asyncProperty(
    conversationArbitrary,
    conversationArbitrary,
    async (first, written) => {
      let [server, device] = [first, written]
      let assumed: ConversationDocument | undefined
      for (let round = 0; round < mostRounds; round += 1) {
        if (areConversationsEqual(server, device)) break
        device = await resolveConversation(device, server, assumed)
        assumed = server
        const decision = decideConversation({ stored: server, proposed: device, now: now() })
        if (decision.kind === 'accept') server = decision.next
      }
      expect(device).toEqual(server)
    },
  )
  await fc.assert(proof, { numRuns: 2_000 })
})

test('P5: receipts that the server has forgotten stay, until it says that it was never told', async () => {
  const told = { ...newConversation(ann), peerDeliveredUpTo: 2, peerReadUpTo: 1 }
  const server = newConversation(ann)
  expect(await resolveConversation(told, server)).toEqual(told)
  expect(await resolveConversation(told, { ...server, isMuted: true }, server)).toMatchObject({
    ...{ isMuted: true, peerDeliveredUpTo: 2, peerReadUpTo: 1 },
  })
  expect(await resolveConversation(told, server, server)).toEqual(server)
})

test('a version of this device that cannot be read gives way to the one of the server', async () => {
  const [sample] = fc.sample(messageArbitrary, { numRuns: 1, seed: 1 })
  if (!sample) throw new Error('There is no sample.')
  const unreadable = { ...alive(sample), content: { $ne: 1 } } as unknown as ReturnType<
    typeof alive
  >
  const input = { newDocumentState: unreadable, realMasterState: alive(sample) }
  expect(fromStoredMessage(await messages.resolve(input, ''))).toEqual(sample)
})

/** @param assumed what the device believed that the server holds */
async function resolveConversation(
  device: ConversationDocument,
  server: ConversationDocument,
  assumed?: ConversationDocument,
) {
  const input = { newDocumentState: asIs(device), realMasterState: asIs(server) }
  const believed = assumed && { assumedMasterState: asIs(assumed) }
  return fromStoredConversation(await conversations.resolve({ ...input, ...believed }, ''))
}

function alive(message: MessageDocument) {
  return { ...toStoredMessage(message), _deleted: false }
}

function asIs(conversation: ConversationDocument) {
  return { ...conversation, _deleted: false }
}
