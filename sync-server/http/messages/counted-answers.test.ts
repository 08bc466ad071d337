import fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, it } from 'vitest'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import { must } from '../../../schema/helpers/assertions.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { digestsDatabase } from '../../messages/digests/digest-documents.ts'
import { walkAll } from '../../storage/testing/walk-all.ts'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import type { TestPerson } from '../../testing/start-test-app.ts'
import { testBytes, uploadFile } from '../../testing/test-files.ts'

const kinds = [
  ...(['say', 'push many', 'push many', 'push many', 'edit', 'delete', 'delete many'] as const),
  ...([
    'star',
    'star',
    'read all',
    'read up to',
    'clear up to',
    'block',
    'kill',
    'lose digests',
  ] as const),
]

/** A person's next action; the numbers pick among what exists then. */
const step = fc.record({
  kind: fc.constantFrom(...kinds),
  who: fc.nat(2),
  to: fc.nat(1),
  which: fc.nat(1_000),
  isPushed: fc.boolean(),
  isOn: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

describe.each([true, false])('what is counted, isAtomic: %s', (isAtomic) => {
  it('is what a walk through every copy finds, after whatever was done before', async () => {
    const history = fc.array(step, { minLength: 20, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const people = await openPeople(isAtomic)
        try {
          for (const [index, each] of steps.entries()) {
            await people.act(each)
            if (index % 12 === 0) await people.compareAll()
          }
          await people.compareAll()
        } finally {
          await people.close()
        }
      }),
      { numRuns: 2, endOnFailure: true },
    )
  })
})

async function openPeople(isAtomic: boolean) {
  const chat = await openTestChat({ isAtomic, tallyEvery: 4 })
  const people = [
    await chat.register('Ann'),
    await chat.register('Ben'),
    await chat.register('Cyd'),
  ]
  const files = await Promise.all(
    people.map(async (person) => {
      const answer = await uploadFile(chat.app, person, { bytes: testBytes.png() })
      return answer.body.mediaUrl as string
    }),
  )

  async function act({ kind, which, isPushed, isOn, ...drawn }: Step) {
    const person = must(people[drawn.who], 'somebody')
    const peer = must(people[(drawn.who + 1 + drawn.to) % 3], 'somebody else')
    const copies = await readAll<MessageDocument>(chat, person, 'messages')
    const withPeer = copies.filter(({ peerId }) => peerId === peer.userId)
    const own = withPeer.filter(({ senderId }) => senderId === person.userId)
    const any = withPeer[which % Math.max(withPeer.length, 1)]
    const one = own[which % Math.max(own.length, 1)]
    const rest = chat.as(person)
    const ofPeer = `/messages/conversations/${peer.userId}`
    const mediaUrl = isOn ? files[drawn.who] : undefined
    switch (kind) {
      case 'say':
        await rest.post('/messages', { recipientId: peer.userId, content: 'said', mediaUrl })
        return
      case 'push many': {
        const docs = Array.from({ length: 1 + (which % 9) }, (_, index) =>
          writePushed({ person, peer, isStarred: index % 3 === 2, ...(mediaUrl && { mediaUrl }) }),
        )
        await push(chat, person, 'messages', docs)
        return
      }
      case 'edit':
        if (!one) return
        if (!isPushed) await rest.put(`/messages/${one._id}`, { content: 'edited' })
        else await push(chat, person, 'messages', [{ ...one, content: 'e', editedAt: Date.now() }])
        return
      case 'delete':
        if (!one) return
        if (!isPushed) await rest.remove(`/messages/${one._id}`)
        else await push(chat, person, 'messages', [{ ...one, deletedAt: Date.now() }])
        return
      case 'delete many': {
        const messageIds = own.slice(0, 1 + (which % 5)).map(({ _id }) => _id)
        if (messageIds.length > 0) await rest.post('/messages/delete-bulk', { messageIds })
        return
      }
      case 'star': {
        if (!any) return
        const star = { isStarred: isOn, isStarredAt: Date.now() }
        if (!isPushed) await rest.put(`/messages/${any._id}/star`, { isStarred: isOn })
        else await push(chat, person, 'messages', [{ ...any, ...star }])
        return
      }
      case 'read all':
        await rest.put(`${ofPeer}/read`)
        return
      case 'read up to':
      case 'clear up to': {
        if (!any) return
        const mark = kind === 'read up to' ? 'readUpTo' : 'clearedUpTo'
        await push(chat, person, 'conversations', [{ _id: peer.userId, [mark]: any.orderedAt }])
        return
      }
      case 'block':
        expect((await rest.put(`/users/${peer.userId}/block`, { blocked: isOn })).status).toBe(200)
        return
      case 'kill':
        await chat.app.killAndStart()
        return
      case 'lose digests':
        await chat.app.whileStopped((storage) => storage.destroy(digestsDatabase))
    }
  }

  async function compare(person: TestPerson) {
    const copies = await readAll<MessageDocument>(chat, person, 'messages')
    const conversations = await readAll<ConversationDocument>(chat, person, 'conversations')
    const walked = walkAll({ ownerId: person.userId, copies, conversations })
    const get = async (path: string) => (await chat.as(person).get(path)).body
    const starred = await get('/messages/starred')
    expect(starred.map(({ _id }: { _id: string }) => _id)).toEqual(walked.starred)
    const listed = await get('/messages/conversations')
    const shown = listed.map((one: { _id: string; unreadCount: number; lastMessageAt: string }) => {
      return [one._id, one.unreadCount, one.lastMessageAt]
    })
    const wanted = conversations.flatMap(({ _id, clearedUpTo }) => {
      const { unread, lastMessageAt } = walked.summarise(_id)
      return clearedUpTo > 0 && lastMessageAt === null ? [] : [[_id, unread, lastMessageAt]]
    })
    expect(shown.sort()).toEqual(wanted.sort())
    for (const { userId } of people) {
      if (userId === person.userId) continue
      const stats = await get(`/messages/conversations/${userId}/stats`)
      expect(stats).toEqual(walked.summarise(userId))
    }
  }

  return {
    act,
    async compareAll() {
      for (const person of people) await compare(person)
    },
    close: chat.close,
  }
}

function writePushed(said: {
  person: TestPerson
  peer: TestPerson
  isStarred: boolean
  mediaUrl?: string
}) {
  const { person, peer, isStarred, mediaUrl } = said
  const now = Date.now()
  return {
    _id: uuidv7(),
    peerId: peer.userId,
    senderId: person.userId,
    recipientId: peer.userId,
    content: 'pushed',
    createdAt: now,
    orderedAt: now,
    isStarred,
    isStarredAt: now,
    ...(mediaUrl !== undefined && { mediaUrl, type: 'image' }),
  }
}

type Collection = 'messages' | 'conversations'

async function readAll<Body>(chat: TestChat, { token }: TestPerson, collection: Collection) {
  const path = `/sync/${collection}/_all_docs?include_docs=true`
  const { body } = await chat.app.call('GET', path, { token })
  return body.rows.map(({ doc }: { doc: Body }) => doc) as Body[]
}

async function push(
  chat: TestChat,
  { token }: TestPerson,
  collection: Collection,
  docs: readonly object[],
) {
  const path = `/sync/${collection}/_bulk_docs`
  const answer = await chat.app.call('POST', path, { token, body: { docs } })
  expect(answer.status).toBe(201)
}
