import { expect, onTestFinished, test } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import { createKeyValueStorage } from '../database/storage/key-value-storage.ts'
import { startLabServer } from '../lab/server/start-lab-server.ts'
import { createApi } from './api.ts'
import { createSessionStore } from './session-store.ts'

/** The real server, and a signed-in library for each of Ann and Ben. */
async function start() {
  const server = await startLabServer()
  onTestFinished(() => server.close())
  async function join(username: string) {
    const sessions = createSessionStore({
      kept: createKeyValueStorage(),
      passing: createKeyValueStorage(),
    })
    const api = createApi({ serverUrl: server.url, fetch, sessions })
    const email = `${username}@example.org`
    const signedIn = await api.auth.register({ username, email, password: 'a secret' })
    sessions.set(signedIn, { keepSignedIn: true })
    return { api, sessions, userId: signedIn.user._id }
  }
  return { ann: await join('ann'), ben: await join('ben') }
}

test('everything about messages is understood as the server answers it', async () => {
  const { ann, ben } = await start()
  const { messages, conversations } = ann.api
  const key = '01900000-0000-4000-8000-000000000001'
  const outgoing = { recipientId: ben.userId, content: 'hello Ben' }
  const sent = await messages.send(outgoing, { key })
  expect((await messages.send(outgoing, { key }))._id).toBe(sent._id)
  expect(sent).toMatchObject({ _id: key, content: 'hello Ben', sender: { username: 'ann' } })

  expect(await ben.api.messages.setStatus(key, 'read')).toMatchObject({ status: 'read' })
  await expect.poll(async () => (await messages.getStatus(key)).status).toBe('read')
  const { history } = await messages.getStatusHistory(key)
  expect(history.map(({ status }) => status)).toContain('read')
  expect((await messages.edit(key, 'hello, Ben')).content).toBe('hello, Ben')
  expect((await messages.setStarred(key, true)).isStarred).toBe(true)
  expect(await messages.listStarred()).toHaveLength(1)
  expect(await messages.search({ query: 'HELLO', userId: ben.userId })).toHaveLength(1)
  expect(await messages.search({ query: 'absent' })).toEqual([])
  const asked = { messageId: key, recipientIds: [ben.userId] }
  const [copy] = await messages.forward(asked, { key })
  expect(await messages.forward(asked, { key })).toMatchObject([{ _id: copy?._id }])
  expect(await messages.list(ben.userId, { limit: 1 })).toMatchObject([{ _id: copy?._id }])
  expect(await messages.list(ben.userId, { before: must(copy, 'the copy')._id })).toMatchObject([
    { _id: key },
  ])
  expect(await messages.listByPhone('+1 234 567 8901')).toEqual([])

  const file = new Blob(['a text'], { type: 'text/plain' })
  expect(await messages.upload({ file, filename: 'a.txt' })).toMatchObject({ filename: 'a.txt' })

  expect(await conversations.setPinned(ben.userId, true)).toMatchObject({ isPinned: true })
  expect(await conversations.setMuted(ben.userId, true)).toMatchObject({ isMuted: true })
  expect(await conversations.setArchived(ben.userId, true)).toMatchObject({ isArchived: true })
  expect(await ben.api.conversations.markRead(ann.userId)).toMatchObject({ unreadCount: 0 })
  expect(await conversations.getStats(ben.userId)).toMatchObject({ total: 2, sent: 2 })
  expect(await conversations.list()).toMatchObject([{ _id: ben.userId, isPinned: true }])
  expect((await messages.remove(key)).deletedAt).toBeDefined()
  await messages.removeAll([must(copy, 'the copy')._id])
})

test('everything about people is understood as the server answers it', async () => {
  const { ann, ben } = await start()
  const { users, own } = ann.api
  expect(await users.list()).toMatchObject([{ username: 'ben' }])
  expect(await users.get(ben.userId)).toMatchObject({ username: 'ben' })
  expect(await users.getWithRetry(ben.userId)).toMatchObject({ username: 'ben' })
  expect(await users.search('be')).toHaveLength(1)
  await ben.api.own.updateProfile({ phone_number: '+1 234 567 8901' })
  expect(await users.findByPhone('+1 234 567 8901')).toMatchObject({ username: 'ben' })
  expect(await users.findByPhone('+1 234 567 8902')).toBeUndefined()
  expect(await users.searchByPhone('345')).toHaveLength(1)
  expect(await users.getActivity(ben.userId)).toMatchObject({ isOnline: false })
  await users.report({ userId: ben.userId, reason: 'sends too much' })
  await users.setBlocked({ userId: ben.userId, blocked: true })
  expect(await users.listBlocked()).toMatchObject([{ _id: ben.userId }])

  expect(await own.updateSettings({ theme: 'dark' })).toEqual({ theme: 'dark' })
  expect((await own.updateProfile({ status: 'at sea' })).status).toBe('at sea')
  expect(ann.sessions.get()?.user).toMatchObject({ status: 'at sea', settings: { theme: 'dark' } })
  await own.setOnline(true)
  expect((await own.listSessions()).map(({ isCurrent }) => isCurrent)).toEqual([true])
  await own.endOtherSessions()
  await own.changePassword({ currentPassword: 'a secret', newPassword: 'another secret' })
  expect((await own.exportAccount()).user.username).toBe('ann')
  await expect(own.endSession('none')).rejects.toMatchObject({ code: 'session_not_found' })
  await ann.api.auth.login({ username: 'ann', password: 'another secret' })
  await expect(own.deleteAccount({ password: 'a secret' })).rejects.toMatchObject({
    code: 'wrong_password',
  })
  await own.deleteAccount({ password: 'another secret' })
  await expect(own.me()).rejects.toMatchObject({ status: 401 })
  expect(ann.sessions.get()).toBeUndefined()
})

test('linking and unlinking WhatsApp change the record that the device keeps', async () => {
  const { ann } = await start()
  const { own } = ann.api
  const link = { wa_id: '15550783881', phone_number: '15550783881', whatsapp_name: 'Lucky Shrub' }
  await own.linkWhatsApp(link)
  expect(ann.sessions.get()?.user).toMatchObject({ ...link, whatsapp_connected: true })
  await own.unlinkWhatsApp()
  const user = must(ann.sessions.get(), 'the sign-in').user
  expect(user.whatsapp_connected).toBe(false)
  for (const field of Object.keys(link)) expect(user).not.toHaveProperty(field)
})

test('unlinking WhatsApp leaves the phone number if asked to', async () => {
  const { ann } = await start()
  const { own } = ann.api
  const link = { wa_id: '15550783881', phone_number: '15550783881', whatsapp_name: 'Lucky Shrub' }
  await own.linkWhatsApp(link)
  await own.unlinkWhatsApp({ keepsPhone: true })
  const user = must(ann.sessions.get(), 'the sign-in').user
  expect(user.phone_number).toBe(link.phone_number)
  for (const field of ['wa_id', 'whatsapp_name']) expect(user).not.toHaveProperty(field)
  expect(await own.me()).toMatchObject({ phone_number: link.phone_number })
})
