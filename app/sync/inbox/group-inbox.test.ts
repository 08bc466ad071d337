import { expect, test } from 'vitest'
import { createInbox } from '../../database/storage/inbox.ts'
import { nameOf } from '../../database/storage/known-peer.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'
import { fetchNews } from '../../offline/worker/take-push.ts'

/** A group of Ann and Ben; Ann's phone is closed, and its service worker takes the pushes. */
async function start(people: { hasKeys?: boolean } = {}) {
  const { lab, ann, ben } = await openTestLab({ settings: { GROUPS: 'on' } }, people)
  const [phone, laptop] = [await ann.device(), await ben.device()]
  await lab.settle()
  const groupId = await laptop.messenger.groups.create({ name: 'Walks', memberIds: [ann.userId] })
  const say = (content: string) =>
    laptop.messenger.commands.sendMessage({ peerId: groupId, content })
  await say('before')
  const readTexts = async () =>
    (await phone.read({ userId: groupId })).flatMap(({ content }) => content || [])
  await expect.poll(readTexts).toEqual(['before'])
  await lab.settle()
  await phone.close()
  const inbox = createInbox({
    name: `petrel-${ann.userId}-${phone.name}`,
    indexedDB: phone.disk.indexedDB,
  })
  const url = `${lab.server.url}/sync/groups/${groupId}/_all_docs`
  const listIds = async () => {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${ann.token}` } })
    const { rows } = (await answer.json()) as { rows: { id: string }[] }
    return rows.map(({ id }) => id)
  }
  return {
    ...{ lab, ann, ben, phone, groupId, inbox, readTexts },
    async push(content: string, peerId = groupId) {
      const id = await say(content)
      await expect.poll(listIds).toContain(id)
      const payload = { peerId, isGroup: true as const, messageIds: [id] }
      const at = { serverUrl: lab.server.url, token: ann.token, fetch, now: Date.now() }
      const news = await fetchNews({ ...at, payload })
      await inbox.keep(news.documents)
      return news
    },
  }
}

test.each([false, true])(
  'P4 P11: a pushed message of a group is there at the next start without a network, and is the same later (keys: %s)',
  async (hasKeys) => {
    const t = await start({ hasKeys })
    const news = await t.push('pushed')
    expect(news.messages).toMatchObject([{ senderId: t.ben.userId, peerId: t.groupId }])
    t.phone.network.goOffline()
    await t.phone.openTab()
    await expect.poll(t.readTexts).toEqual(['before', 'pushed'])
    const find = () =>
      t.phone.messenger.conversations.getSnapshot().find(({ peerId }) => peerId === t.groupId)
    await expect.poll(() => nameOf(find()?.peer)).toBe('Walks')
    t.phone.network.goOnline()
    await t.lab.settle()
    expect(await t.readTexts()).toEqual(['before', 'pushed'])
    await t.phone.reload()
    await t.lab.settle()
    await expect.poll(async () => (await t.inbox.list()).length).toBe(0)
    expect(await t.readTexts()).toEqual(['before', 'pushed'])
  },
)

test('P10: reading it offline does not mark what came before it and is not here', async () => {
  const t = await start()
  const readUpTo = async () => (await t.phone.stored()).conversations.get(t.groupId)?.readUpTo ?? 0
  await t.push('kept from the phone')
  await t.inbox.drop(await t.inbox.list())
  const { messages } = await t.push('pushed')
  const place = messages[0]?.orderedAt ?? 0
  t.phone.network.goOffline()
  await t.phone.openTab()
  await expect.poll(t.readTexts).toEqual(['before', 'pushed'])
  await t.phone.messenger.commands.markRead(t.groupId)
  expect(await readUpTo()).toBeLessThan(place - 1)
  t.phone.network.goOnline()
  await t.lab.settle()
  await expect.poll(t.readTexts).toEqual(['before', 'kept from the phone', 'pushed'])
  await t.phone.messenger.commands.markRead(t.groupId)
  await expect.poll(readUpTo).toBe(place)
})

test('a message of a group that the device does not know yet waits for the group', async () => {
  const t = await start()
  const { documents } = await t.push('pushed')
  const [message] = documents.filter(({ collection }) => collection === 'messages')
  if (!message) throw new Error('nothing was fetched')
  const unknown = '01900000-0000-7000-8000-0000000000aa'
  await t.inbox.drop(documents)
  const document = { ...message.document, peerId: unknown, recipientId: unknown }
  await t.inbox.keep([{ ...message, document }])
  t.phone.network.goOffline()
  await t.phone.openTab()
  await expect.poll(async () => (await t.inbox.list()).length).toBe(0)
  const rows = t.phone.messenger.conversations.getSnapshot()
  expect(rows.map(({ peerId }) => peerId)).not.toContain(unknown)
})
