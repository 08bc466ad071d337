import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Settings } from '../../../schema/settings.ts'
import { proposeMessage } from '../../messages/proposals/proposal.ts'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import { isShownAsOnline } from '../../testing/open-test-presence.ts'
import { openTestSocket } from '../../testing/open-test-socket.ts'
import type { TestPerson } from '../../testing/start-test-app.ts'
import { testBytes, uploadPicture } from '../../testing/test-files.ts'

/** Ann hides, Ben has a chat with her, and Cleo is a stranger who tries every door. */
const opened = {} as { chat: TestChat; ann: TestPerson; ben: TestPerson; cleo: TestPerson }
beforeAll(async () => {
  opened.chat = await openTestChat({ presenceGraceMs: 20, announceEveryMs: 20 })
  opened.ann = await opened.chat.register('Ann')
  opened.ben = await opened.chat.register('Ben')
  opened.cleo = await opened.chat.register('Cleo')
  await as(opened.ann).put('/users/profile', { phone_number: '16505551234', status: 'at sea' })
  await opened.chat.say(opened.ben, opened.ann, 'hello')
})
afterAll(() => opened.chat.close())
beforeEach(() =>
  set({
    lastSeenFor: 'everybody',
    onlineFor: 'everybody',
    aboutFor: 'everybody',
    pictureFor: 'everybody',
    readReceipts: true,
    firstMessagesFrom: 'everybody',
  }),
)

const as = (person: TestPerson) => opened.chat.as(person)
const set = (change: Partial<Settings>, person = opened.ann) =>
  as(person).put('/users/settings', change)

async function connect({ token }: TestPerson, understands = ['presence-changes']) {
  const { url } = opened.chat.app
  const socket = await openTestSocket({ url, token, understands })
  onTestFinished(async () => {
    socket.socket.close()
    await socket.closed
  })
  await socket.untilGreeted()
  return socket
}

interface Seen {
  _id: string
  status: string
  profilePicture: string | null
  isOnline: boolean
  lastSeen: string | null
}

/** Ann's record as it comes through each door that shows people. */
async function readDoors(viewer: TestPerson): Promise<Record<string, Seen>> {
  const { userId } = opened.ann
  const api = as(viewer)
  const find = async (path: string) => (await api.get(path)).body.find(isAnn)
  const isAnn = ({ _id }: Seen) => _id === userId
  const conversations = (await api.get('/messages/conversations')).body as { user: Seen }[]
  const ofChat = conversations.map(({ user }) => user).find(isAnn)
  return {
    one: (await api.get(`/users/${userId}`)).body,
    all: await find('/users'),
    search: await find('/users/search/Ann'),
    phone: (await api.get('/users/phone/16505551234')).body,
    phones: await find('/users/search/phone/650555'),
    ...(ofChat && { conversations: ofChat }),
  }
}

async function expectAtDoors(viewer: TestPerson, expected: Partial<Seen>) {
  for (const [door, seen] of Object.entries(await readDoors(viewer))) {
    expect({ door, ...seen }).toMatchObject({ door, ...expected })
  }
}

describe('what only chats may see', () => {
  it('the time when somebody was last seen: through no door, and at once', async () => {
    const socket = await connect(opened.ann)
    socket.socket.close()
    await socket.closed
    const when = async (viewer: TestPerson) =>
      (await as(viewer).get(`/users/${opened.ann.userId}/activity`)).body.lastSeen
    await expect.poll(() => when(opened.cleo)).not.toBeNull()
    await set({ lastSeenFor: 'chats' })
    expect(await when(opened.cleo)).toBeNull()
    await expectAtDoors(opened.cleo, { lastSeen: null, status: 'at sea' })
    await expectAtDoors(opened.ben, { lastSeen: await when(opened.ben) })
    expect(await when(opened.ben)).not.toBeNull()
    await set({ lastSeenFor: 'everybody' })
    expect(await when(opened.cleo)).not.toBeNull()
  })

  it('the About text', async () => {
    await set({ aboutFor: 'chats' })
    await expectAtDoors(opened.cleo, { status: '' })
    await expectAtDoors(opened.ben, { status: 'at sea' })
    expect((await as(opened.ann).get('/users/me')).body.status).toBe('at sea')
  })

  it('the picture: neither its address, also beside messages, nor its bytes', async () => {
    const bytes = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
      'base64',
    )
    const form = new FormData()
    form.set('profilePicture', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'a.png')
    const { url } = opened.chat.app
    const fetchAs = (person: TestPerson, path: string, init: RequestInit = {}) =>
      fetch(url + path, { ...init, headers: { authorization: `Bearer ${person.token}` } })
    const path = '/api/users/profile/picture'
    const uploaded = await fetchAs(opened.ann, path, { method: 'PUT', body: form })
    const { profilePicture } = (await uploaded.json()) as { profilePicture: string }
    expect((await fetchAs(opened.cleo, profilePicture)).status).toBe(200)
    await set({ pictureFor: 'chats' })
    await expectAtDoors(opened.cleo, { profilePicture: null })
    await expectAtDoors(opened.ben, { profilePicture })
    expect((await fetchAs(opened.cleo, profilePicture)).status).toBe(404)
    expect((await fetchAs(opened.ben, profilePicture)).status).toBe(200)
    const [message] = (await as(opened.ben).get(`/messages/${opened.ann.userId}`)).body
    expect(message.recipient.profilePicture).toBe(profilePicture)
    // Cleo's own conversation document makes no chat with Ann.
    await opened.chat.app.call('POST', '/sync/conversations/_bulk_docs', {
      token: opened.cleo.token,
      body: { docs: [{ _id: opened.ann.userId, isPinned: true, isPinnedAt: 1 }] },
    })
    await expectAtDoors(opened.cleo, { profilePicture: null })
    expect((await fetchAs(opened.cleo, profilePicture)).status).toBe(404)
  })

  it('whether somebody is online: neither by REST nor by the socket nor by a poll, and live', async () => {
    const [bens, cleos] = [await connect(opened.ben), await connect(opened.cleo)]
    const older = await connect(opened.cleo, [])
    const poller = uuidv7()
    const poll = (token: string) => opened.chat.app.call('GET', `/poll?poller=${poller}`, { token })
    await connect(opened.ann)
    const { userId } = opened.ann
    const sees = (socket: typeof bens) => {
      let isSeen = false
      for (const { event, data } of socket.heard) {
        if (event === 'users-online') isSeen = data.includes(userId)
        if (event !== 'presence-changed') continue
        if (data.online.includes(userId)) isSeen = true
        if (data.offline.includes(userId)) isSeen = false
      }
      return isSeen
    }
    for (const socket of [bens, cleos, older]) await expect.poll(() => sees(socket)).toBe(true)
    await expectAtDoors(opened.cleo, { isOnline: true })

    await set({ onlineFor: 'chats' })
    await expect.poll(() => sees(cleos)).toBe(false)
    await expect.poll(() => sees(older), { timeout: 5_000 }).toBe(false)
    await expectAtDoors(opened.cleo, { isOnline: false })
    await expectAtDoors(opened.ben, { isOnline: true })
    expect(sees(bens)).toBe(true)
    const { events } = (await poll(opened.cleo.token)).body
    expect(JSON.stringify(events)).toContain('users-online')
    expect(JSON.stringify(events)).not.toContain(userId)
    const late = await connect(opened.cleo)
    expect(sees(late)).toBe(false)

    await set({ onlineFor: 'everybody' })
    await expect.poll(() => sees(cleos)).toBe(true)
    await expectAtDoors(opened.cleo, { isOnline: true })
  })

  it('whoever a hidden person begins a chat with sees them from then on, and nobody else', async () => {
    const dora = await opened.chat.register('Dora')
    await set({ onlineFor: 'chats' })
    await connect(opened.ann)
    const [doras, cleos] = [await connect(dora), await connect(opened.cleo)]
    for (const socket of [doras, cleos]) {
      expect(isShownAsOnline(socket, opened.ann)).toBe(false)
    }
    await opened.chat.say(opened.ann, dora, 'hello Dora')
    await expect.poll(() => isShownAsOnline(doras, opened.ann)).toBe(true)
    await opened.chat.say(opened.ben, opened.cleo, 'hello Cleo')
    await expect.poll(() => cleos.count('receive-message')).toBe(1)
    expect(isShownAsOnline(cleos, opened.ann)).toBe(false)
  })

  it('typing says nothing to a stranger that being online does not', async () => {
    const [anns, cleos, bens] = [
      await connect(opened.ann),
      await connect(opened.cleo),
      await connect(opened.ben),
    ]
    await set({ onlineFor: 'chats' })
    anns.say('typing', { recipientId: opened.cleo.userId })
    anns.say('typing', { recipientId: opened.ben.userId })
    await expect.poll(() => bens.count('user-typing')).toBe(1)
    expect(cleos.count('user-typing')).toBe(0)
  })
})

describe('a block', () => {
  it('P8: takes the picture from who is blocked, its address too, through every door', async () => {
    const { chat, ann, ben } = opened
    const { body } = await uploadPicture(chat.app, ann, { bytes: testBytes.png() })
    const { profilePicture } = body
    await expectAtDoors(ben, { profilePicture })
    const setBlocked = (blocked: boolean) => as(ann).put(`/users/${ben.userId}/block`, { blocked })
    await setBlocked(true)
    await expectAtDoors(ben, { profilePicture: null })
    await expectAtDoors(opened.cleo, { profilePicture })
    await setBlocked(false)
    await expectAtDoors(ben, { profilePicture })
  })
})

describe('read receipts that are off', () => {
  const marksOf = async (owner: TestPerson, peer: TestPerson) => {
    const path = `/sync/conversations/${peer.userId}`
    const { body } = await opened.chat.app.call('GET', path, { token: owner.token })
    return body as { peerReadUpTo: number; peerDeliveredUpTo: number; peerSilences: unknown[] }
  }
  const statusOf = async (author: TestPerson, id: string) =>
    (await as(author).get(`/messages/${id}/status`)).body.status
  const read = (reader: TestPerson, author: TestPerson) =>
    as(reader).put(`/messages/conversations/${author.userId}/read`, {})

  it('tell neither their owner’s reading nor that of others to them; arrival stays', async () => {
    const { ann, ben } = opened
    await set({ readReceipts: false })
    const before = await marksOf(ben, ann)
    const id = await opened.chat.say(ben, ann, 'do you read me?')
    await read(ann, ben)
    expect(await statusOf(ben, id)).toBe('delivered')
    const after = await marksOf(ben, ann)
    expect(after.peerReadUpTo).toBe(before.peerReadUpTo)
    expect(after.peerDeliveredUpTo).toBeGreaterThan(before.peerDeliveredUpTo)
    expect(JSON.stringify(after.peerSilences)).not.toContain('read')
    const back = await opened.chat.say(ann, ben, 'I do')
    await read(ben, ann)
    expect(await statusOf(ann, back)).toBe('delivered')

    await set({ readReceipts: true })
    const later = await opened.chat.say(ben, ann, 'and now?')
    await read(ann, ben)
    expect(await statusOf(ben, later)).toBe('read')
    expect(await statusOf(ben, id)).toBe('delivered')
  })
})

describe('first messages', () => {
  it('P6: of strangers come back with words, through every way in, and say nothing of a block', async () => {
    const { chat, ann, cleo } = opened
    await set({ firstMessagesFrom: 'known' })
    const words =
      'Not sent: this person only gets messages from people they already have a chat with.'
    const tries = async () => {
      const message = { recipientId: ann.userId, content: 'buy this' }
      const rest = await as(cleo).post('/messages', message)
      expect([rest.status, rest.body.code, rest.body.error]).toEqual([403, 'not_accepted', words])
      const socket = await connect(cleo)
      socket.say('send-message', { recipientId: ann.userId, message: 'buy this' })
      await expect
        .poll(() => socket.last('message-refused'))
        .toMatchObject({ code: 'not_accepted' })
    }
    await tries()
    await as(ann).put(`/users/${cleo.userId}/block`, { blocked: true })
    await tries()
    await as(ann).put(`/users/${cleo.userId}/block`, { blocked: false })
    expect((await as(ann).get(`/messages/${cleo.userId}`)).body).toEqual([])
    const pushed = proposeMessage({
      senderId: cleo.userId,
      recipientId: ann.userId,
      message: { content: 'buy this', _id: uuidv7() },
    }).raw
    // A device may also claim that it was sent before.
    for (const status of ['sending', 'sent']) {
      const doc: Record<string, unknown> = { ...pushed, _id: uuidv7(), status }
      const body = { docs: [doc] }
      await chat.app.call('POST', '/sync/messages/_bulk_docs', { token: cleo.token, body })
      expect(await chat.readStored(cleo, String(doc._id))).toMatchObject({
        content: 'buy this',
        status: 'failed',
        error: words,
      })
    }
    expect((await as(ann).get(`/messages/${cleo.userId}`)).body).toEqual([])

    // Ben has a chat already; and those Ann has written to may answer.
    expect(await chat.say(opened.ben, ann, 'hello again')).toBeTruthy()
    await chat.say(ann, cleo, 'hello')
    expect(
      (await as(cleo).post('/messages', { recipientId: ann.userId, content: 'hi' })).status,
    ).toBe(201)
  })
})
