import { afterEach, expect, test } from 'vitest'
import { newConversation } from '../../schema/conversation.ts'
import { must } from '../../schema/helpers/assertions.ts'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import {
  openTestAcceptance,
  propose,
  type TestAcceptance,
  writeMessage,
} from '../testing/open-test-acceptance.ts'

const opened = {} as { t: TestAcceptance }
afterEach(async () => {
  await opened.t.acceptance.close()
  await opened.t.close()
})

/** Pauses a message with a file once its recipient is known and before anything is written. */
async function openHeld(isAtomic: boolean) {
  const [reached, goOn] = [createDeferred(), createDeferred()]
  opened.t = await openTestAcceptance({
    isAtomic,
    files: {
      async shareMedia() {
        reached.resolve()
        await goOn.promise
        return true
      },
      releaseMedia: async () => undefined,
    },
  })
  return { reached, goOn }
}

async function removeBen() {
  const { t } = opened
  await t.accounts.remove(t.ben)
  await t.relations.forget(t.ben)
  await t.storage.retire(nameMessagesDatabase(t.ben))
  await t.storage.retire(nameConversationsDatabase(t.ben))
}

test.each([true, false])(
  'P12: a message that was under way makes no database of somebody who has left meanwhile (atomic: %s)',
  async (isAtomic) => {
    const { reached, goOn } = await openHeld(isAtomic)
    const { t } = opened
    const message = writeMessage({
      senderId: t.ann,
      recipientId: t.ben,
      content: 'a map',
      type: 'document',
      mediaUrl: '/api/media/01900000-0000-7000-8000-0000000000aa',
    })
    const sending = t.acceptance.acceptMessages({ actorId: t.ann, proposals: [propose(message)] })
    await reached.promise
    await removeBen()
    goOn.resolve()
    expect(await sending).toMatchObject([
      { kind: 'stored', refusal: { code: 'unknown_person' }, doc: { status: 'failed' } },
    ])
    expect(await t.readMessage(t.ann, message._id)).toMatchObject({ content: 'a map' })
    await t.storage.close()
    t.reopen()
    for (const name of [nameMessagesDatabase(t.ben), nameConversationsDatabase(t.ben)]) {
      expect(await t.storage.database(name).info()).toEqual({ docCount: 0, updateSeq: 0 })
    }
  },
)

test.each([true, false])(
  'P12: hidden reading is stored although the author leaves meanwhile (atomic: %s)',
  async (isAtomic) => {
    const leave = { isDue: false }
    opened.t = await openTestAcceptance({
      isAtomic,
      privacy: {
        refusesFirst: async () => false,
        // It is known by now that they are there.
        async hidesReading() {
          if (leave.isDue) await removeBen()
          return true
        },
      },
    })
    const { t } = opened
    const { acceptance, ann: actorId, ben } = t
    const message = writeMessage({ senderId: ben, recipientId: actorId })
    await acceptance.acceptMessages({ actorId: ben, proposals: [propose(message)] })
    const before = must(await t.readConversation(actorId, ben), 'a conversation')
    leave.isDue = true
    const proposals = [propose({ ...before, readUpTo: before.lastMessageAt } as { _id: string })]
    expect(await acceptance.acceptConversations({ actorId, proposals })).toMatchObject([
      { kind: 'stored', isTaken: true },
    ])
  },
)

test('P12: what still comes in the name of somebody who has left is refused, and makes no database', async () => {
  opened.t = await openTestAcceptance()
  const { t } = opened
  const { acceptance, ann: actorId, ben } = t
  await t.accounts.remove(actorId)
  await t.relations.forget(actorId)
  const proposals = [propose(writeMessage({ senderId: actorId, recipientId: ben }))]
  const gone = { name: 'PersonGone' }
  await expect(acceptance.acceptMessages({ actorId, proposals })).rejects.toMatchObject(gone)
  const flags = [
    propose({ ...newConversation(ben), isPinned: true, isPinnedAt: 1 } as { _id: string }),
  ]
  await expect(acceptance.acceptConversations({ actorId, proposals: flags })).rejects.toMatchObject(
    gone,
  )
  expect(await t.readMessages(ben)).toEqual([])
  for (const name of [nameMessagesDatabase(actorId), nameConversationsDatabase(actorId)]) {
    expect(await t.storage.database(name).info()).toEqual({ docCount: 0, updateSeq: 0 })
  }
})
