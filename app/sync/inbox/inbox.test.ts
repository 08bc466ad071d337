import { v7 as createId } from 'uuid'
import { expect, test } from 'vitest'
import { createInbox } from '../../database/storage/inbox.ts'
import { nameOf } from '../../database/storage/known-peer.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import type { LabPerson } from '../../lab/device/lab-person.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'
import { fetchNews } from '../../offline/worker/take-push.ts'

/** Ann's phone, closed, and what its service worker would do with the pushes of Ben's messages. */
async function openPushed() {
  const { lab, ann, ben } = await openTestLab()
  const [phone, laptop] = [await ann.device(), await ben.device()]
  await laptop.say(ann, 'while the app was open')
  await lab.settle()
  await phone.close()
  const inbox = inboxOf(phone, ann)
  return {
    ...{ lab, ann, ben, phone, laptop, inbox },
    async push(messageIds: string[], author = ben) {
      const payload = { peerId: author.userId, messageIds }
      const at = { serverUrl: lab.server.url, token: ann.token, fetch, now: Date.now() }
      const { documents } = await fetchNews({ ...at, payload })
      await inbox.keep(documents)
      return documents
    },
    readTexts: async () => (await phone.read(ben)).map(({ content }) => content),
  }
}

function inboxOf({ name, disk }: LabDevice, { userId }: LabPerson) {
  return createInbox({ name: `petrel-${userId}-${name}`, indexedDB: disk.indexedDB })
}

/** Written by a device that is not the phone, and stored at the server. */
async function sayStored({ laptop, ann }: Awaited<ReturnType<typeof openPushed>>, text: string) {
  const id = await laptop.say(ann, text)
  await expect.poll(async () => (await ann.server.messages()).has(id)).toBe(true)
  return id
}

test('P4: a pushed message is there at the next start without a network, and is the same later', async () => {
  const t = await openPushed()
  await t.push([await sayStored(t, 'pushed')])
  t.phone.network.goOffline()
  await t.phone.openTab()
  await expect.poll(t.readTexts).toEqual(['while the app was open', 'pushed'])
  t.phone.network.goOnline()
  await t.lab.settle()
  await t.lab.expectConverged()
  await t.phone.reload()
  await t.lab.settle()
  await expect.poll(async () => (await t.inbox.list()).length).toBe(0)
})

async function marksOf({ phone, ben }: Awaited<ReturnType<typeof openPushed>>) {
  const { conversations, messages } = await phone.stored()
  const { readUpTo = 0, deliveredUpTo = 0 } = conversations.get(ben.userId) ?? {}
  const contentAt = (place: number) =>
    [...messages.values()].findLast(({ orderedAt }) => orderedAt === place)?.content
  return { read: contentAt(readUpTo), delivered: contentAt(deliveredUpTo) }
}

test('P10: reading a pushed message offline does not mark those before it, which have not come', async () => {
  const t = await openPushed()
  await sayStored(t, 'not pushed')
  await t.push([await sayStored(t, 'pushed')])
  t.phone.network.goOffline()
  await t.phone.openTab()
  await expect.poll(t.readTexts).toEqual(['while the app was open', 'pushed'])
  await t.phone.messenger.commands.markRead(t.ben.userId)
  const before = { read: 'while the app was open', delivered: 'while the app was open' }
  expect(await marksOf(t)).toEqual(before)
  await t.phone.reload()
  await t.phone.messenger.commands.markRead(t.ben.userId)
  expect(await marksOf(t)).toEqual(before)
  t.phone.network.goOnline()
  await t.lab.settle()
  await expect.poll(() => marksOf(t)).toEqual({ ...before, delivered: 'pushed' })
  await expect.poll(() => t.phone.messenger.conversations.getSnapshot()[0]?.unreadCount).toBe(2)
  await t.phone.messenger.commands.markRead(t.ben.userId)
  expect(await marksOf(t)).toEqual({ read: 'pushed', delivered: 'pushed' })
})

test('P11: what was read offline without a gap is marked when the catch-up has shown that', async () => {
  const t = await openPushed()
  await t.push([await sayStored(t, 'pushed'), await sayStored(t, 'pushed, too')])
  await sayStored(t, 'not pushed')
  t.phone.network.goOffline()
  await t.phone.openTab()
  await expect.poll(t.readTexts).toContain('pushed, too')
  await t.phone.messenger.commands.markRead(t.ben.userId)
  await t.phone.reload()
  t.phone.network.goOnline()
  await t.lab.settle()
  await expect.poll(() => marksOf(t)).toEqual({ read: 'pushed, too', delivered: 'not pushed' })
})

test('P11: a reply written offline beside it does not keep the marks back', async () => {
  const t = await openPushed()
  await t.push([await sayStored(t, 'pushed')])
  t.phone.network.goOffline()
  await t.phone.openTab()
  await expect.poll(t.readTexts).toContain('pushed')
  await t.phone.say(t.ben, 'an answer')
  await t.phone.messenger.commands.markRead(t.ben.userId)
  t.phone.network.goOnline()
  await t.lab.settle()
  await expect.poll(() => marksOf(t)).toEqual({ read: 'pushed', delivered: 'pushed' })
})

test('who wrote for the first time has a name without a network', async () => {
  const t = await openPushed()
  const carl = await t.lab.person('carl')
  const tablet = await carl.device()
  const id = await tablet.say(t.ann, 'hello, I am new')
  await expect.poll(async () => (await t.ann.server.messages()).has(id)).toBe(true)
  await t.push([id], carl)
  t.phone.network.goOffline()
  await t.phone.openTab()
  const find = () => {
    const rows = t.phone.messenger.conversations.getSnapshot()
    return rows.find(({ peerId }) => peerId === carl.userId)
  }
  await expect.poll(() => nameOf(find()?.peer)).toBe('carl')
  const left = async () => (await t.inbox.list()).filter((each) => each.collection === 'people')
  await expect.poll(left).toEqual([])
})

test('P5: an older version in the inbox takes nothing from the device', async () => {
  const t = await openPushed()
  const id = await sayStored(t, 'first version')
  const documents = await t.push([id])
  await t.laptop.edit(id, 'second version')
  await t.phone.openTab()
  await t.lab.settle()
  await t.inbox.keep(documents)
  await t.phone.reload()
  await t.lab.settle()
  expect(await t.readTexts()).toEqual(['while the app was open', 'second version'])
  await expect.poll(async () => (await t.inbox.list()).length).toBe(0)
  await t.lab.expectConverged()
})

test('documents of another history are dropped', async () => {
  const t = await openPushed()
  const documents = await t.push([await sayStored(t, 'pushed')])
  await t.inbox.keep(documents.map((each) => ({ ...each, epoch: 'another' })))
  t.phone.network.goOffline()
  await t.phone.openTab()
  await expect.poll(async () => (await t.inbox.list()).length).toBe(0)
  expect(await t.readTexts()).toEqual(['while the app was open'])
})

test('P2: a reply that the worker has sent and the app sends too is one message', async () => {
  const t = await openPushed()
  const messageId = await sayStored(t, 'are you there?')
  await t.push([messageId])
  const reply = { id: createId(), peerId: t.ben.userId, at: Date.now() }
  await t.inbox.addCommand({ ...reply, kind: 'reply', text: 'yes' })
  await t.inbox.addCommand({ ...reply, id: createId(), kind: 'read', messageId, at: reply.at + 1 })
  const sent = await fetch(`${t.lab.server.url}/api/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${t.ann.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ _id: reply.id, recipientId: t.ben.userId, content: 'yes' }),
  })
  expect(sent.status).toBe(201)
  await t.phone.openTab()
  await expect.poll(() => t.inbox.listCommands()).toEqual([])
  await t.lab.settle()
  expect((await t.laptop.read(t.ann)).map(({ content }) => content)).toEqual([
    'while the app was open',
    'are you there?',
    'yes',
  ])
  await expect.poll(() => t.phone.messenger.conversations.getSnapshot()[0]?.unreadCount).toBe(0)
})

test('P1: a reply written offline is kept, and leaves when the network is back', async () => {
  const t = await openPushed()
  const reply = { id: createId(), kind: 'reply' as const, peerId: t.ben.userId, at: Date.now() }
  await t.inbox.addCommand({ ...reply, text: 'from the train' })
  t.phone.network.goOffline()
  await t.phone.openTab()
  await expect.poll(t.readTexts).toContain('from the train')
  await expect.poll(() => t.inbox.listCommands()).toEqual([])
  t.phone.network.goOnline()
  await t.lab.settle()
  expect((await t.laptop.read(t.ann)).at(-1)).toMatchObject({ _id: reply.id })
})

test('signing out erases the inbox', async () => {
  const t = await openPushed()
  await t.push([await sayStored(t, 'pushed')])
  await t.phone.openTab()
  await t.lab.settle()
  await t.phone.signOut(0)
  expect(await t.inbox.list()).toEqual([])
})

test('the inbox keeps the newest two hundred documents', async () => {
  const t = await openPushed()
  const [document] = await t.push([await sayStored(t, 'pushed')])
  if (!document) throw new Error('nothing was fetched')
  const many = Array.from({ length: 250 }, (_, at) => ({ ...document, _id: `m${at}`, at }))
  await t.inbox.keep(many)
  const ids = (await t.inbox.list()).map(({ _id }) => _id)
  expect(ids).toHaveLength(200)
  expect(ids).not.toContain('m0')
})
