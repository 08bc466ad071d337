import fc from 'fast-check'
import { replicateRxCollection } from 'rxdb/plugins/replication'
import { Subject } from 'rxjs'
import { expect, onTestFinished, test } from 'vitest'
import {
  ann,
  conversationArbitrary,
  messageArbitrary,
} from '../../../schema/arbitraries.contract.ts'
import {
  areConversationsEqual,
  type ConversationDocument,
  newConversation,
} from '../../../schema/conversation.ts'
import { decideConversation } from '../../../schema/decide-conversation.ts'
import { decideMessage } from '../../../schema/decide-message.ts'
import { mergeMessages } from '../../../schema/merge-messages.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { type AccountKeys, deriveAccountKeys } from '../../encryption/account-keys.ts'
import {
  closeMessage,
  deriveEpoch,
  keepLaterWording,
  type OpenedMessage,
  openMessage,
  sealMessage,
} from '../../encryption/sealed-message.ts'
import { idOf } from '../testing/open-test-conversation.ts'
import { ben, openTestDatabase } from '../testing/open-test-database.ts'
import {
  createConversationConflictHandler,
  createMessageConflictHandler,
} from './conflict-handlers.ts'
import { readDocuments } from './read-documents.ts'
import { fromStoredConversation } from './stored-conversation.ts'
import { fromStoredMessage, type StoredMessage, toStoredMessage } from './stored-message.ts'

const now = () => 3
const sealing = { open: (one: MessageDocument) => one, keep: (one: MessageDocument) => one }
const messages = createMessageConflictHandler({
  userId: ann,
  now,
  sealing,
  refusals: new Map(),
})
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

test('P13: what arrived before its key, and is stored over an earlier wording after it, is not locked', () => {
  const keysOf = (byte: number): AccountKeys =>
    deriveAccountKeys({ seed: new Uint8Array(32).fill(byte), number: 1 })
  const epoch = deriveEpoch(keysOf(1), keysOf(2).agreement.publicKey)
  const known = { epoch: undefined as typeof epoch | undefined }
  const findEpoch = () => known.epoch
  const seal = (message: OpenedMessage, before?: OpenedMessage) =>
    sealMessage(message, { before, userId: ann, epoch, findEpoch: () => epoch })
  const first = seal(
    messageDocument.parse({
      _id: idOf(1),
      peerId: ben,
      senderId: ann,
      recipientId: ben,
      content: 'at noon',
      createdAt: 1,
      orderedAt: 1,
    }),
  )
  const edited = seal({ ...first, content: 'at ten', editedAt: 2 }, first)
  const handler = createMessageConflictHandler({
    userId: ann,
    now,
    refusals: new Map(),
    sealing: {
      open: (message) => openMessage(message, findEpoch),
      keep: (arrived, held) => keepLaterWording(arrived, { held, findEpoch }),
    },
  })
  const store = (message: OpenedMessage) => ({ ...toStoredMessage(message, ann), _deleted: false })
  const arrived = store(openMessage(closeMessage(edited), findEpoch))
  expect(arrived.locked).toBe('key')
  known.epoch = epoch
  expect(handler.keep?.(arrived, store(first))).toEqual(store(edited))
})

test('P5: whatever a device and the server hold of a message, a few exchanges make them equal', async () => {
  const proof = fc.asyncProperty(messageArbitrary, messageArbitrary, async (first, written) => {
    let [server, device] = [closeMessage(first), closeMessage(written)]
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
    // Words that were open before they were sealed may stay with the server, and count for nobody.
    expect(closeMessage(device)).toEqual(closeMessage(server))
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
    isMuted: true,
    peerDeliveredUpTo: 2,
    peerReadUpTo: 1,
  })
  expect(await resolveConversation(told, server, server)).toEqual(server)
})

test('P5: what arrives and was overtaken by what is here takes nothing of it back', async () => {
  const { database } = await openTestDatabase()
  const arriving = new Subject<{ documents: ReturnType<typeof alive>[]; checkpoint: object }>()
  const replication = replicateRxCollection<StoredMessage, object>({
    replicationIdentifier: 'test',
    collection: database.messages,
    waitForLeadership: false,
    pull: { handler: async () => ({ documents: [], checkpoint: {} }), stream$: arriving },
  })
  onTestFinished(async () => void (await replication.cancel()))
  await replication.awaitInitialReplication()
  const [older, other] = [1, 2].map((place) =>
    messageDocument.parse({
      _id: idOf(place),
      peerId: ben,
      senderId: ben,
      recipientId: ann,
      status: 'sent',
      content: 'first',
      createdAt: place,
      orderedAt: place,
    }),
  ) as [MessageDocument, MessageDocument]
  const newer = mergeMessages(older, { ...older, content: 'second', editedAt: 5 })
  const receive = (message: MessageDocument) =>
    arriving.next({ documents: [alive(message)], checkpoint: {} })
  const read = async (id: string) => (await readDocuments(database.messages, [id])).get(id)
  receive(newer)
  await expect.poll(() => read(newer._id)).toBeDefined()
  receive(older)
  // They are stored in arrival order.
  receive(other)
  await expect.poll(() => read(other._id)).toBeDefined()
  expect((await read(newer._id))?.content).toBe('second')
})

test('a version of this device that cannot be read gives way to the one of the server', async () => {
  const [sample] = fc.sample(messageArbitrary, { numRuns: 1, seed: 1 })
  if (!sample) throw new Error('There is no sample.')
  const unreadable = { ...alive(sample), content: { $ne: 1 } } as unknown as ReturnType<
    typeof alive
  >
  const input = { newDocumentState: unreadable, realMasterState: alive(sample) }
  expect(fromStoredMessage(await messages.resolve(input, ''))).toEqual(closeMessage(sample))
})

/** @param assumed the server's version, as the device believes */
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
  return { ...toStoredMessage(message, ann), _deleted: false }
}

function asIs(conversation: ConversationDocument) {
  return { ...conversation, _deleted: false }
}
