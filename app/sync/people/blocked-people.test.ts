import { expect, test } from 'vitest'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

async function readBlockedOnServer(serverUrl: string, token: string): Promise<string[]> {
  const response = await fetch(`${serverUrl}/api/users/blocked`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return ((await response.json()) as { _id: string }[]).map(({ _id }) => _id)
}

async function start() {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  await lab.settle()
  const block = (blocked: boolean) =>
    phone.messenger.requests.add({ kind: 'block', userId: ben.userId, blocked })
  const read = () => phone.messenger.blocked.getSnapshot()
  const readOnServer = () => readBlockedOnServer(lab.server.url, ann.token)
  return { lab, ann, ben, phone, block, read, readOnServer }
}

test('P1: who blocks without a network has blocked at once, also after a reload, and then for the server', async () => {
  const { lab, ben, phone, block, read, readOnServer } = await start()
  phone.network.goOffline()
  await block(true)
  expect(read()).toEqual([ben.userId])
  await phone.reload()
  await untilLive(phone.messenger.blocked, (ids) => ids.length === 1)
  expect(await readOnServer()).toEqual([])
  phone.network.goOnline()
  await lab.settle()
  await expect.poll(read).toEqual([ben.userId])
  expect(await readOnServer()).toEqual([ben.userId])
})

test('P10: the list of the server is there without a network, and an unblock that waits counts already', async () => {
  const { lab, ben, phone, block, read, readOnServer } = await start()
  await block(true)
  await lab.settle()
  phone.network.goOffline()
  await phone.reload()
  await untilLive(phone.messenger.blocked, (ids) => ids.includes(ben.userId))
  await block(false)
  expect(read()).toEqual([])
  expect(await readOnServer()).toEqual([ben.userId])
  phone.network.goOnline()
  await lab.settle()
  expect(await readOnServer()).toEqual([])
  await expect.poll(read).toEqual([])
})

test('another device of the same person, and another tab, know it too', async () => {
  const { lab, ann, ben, phone, block } = await start()
  const second = await phone.openTab()
  await block(true)
  await untilLive(second.messenger.blocked, (ids) => ids.includes(ben.userId))
  await lab.settle()
  const laptop = await ann.device()
  await untilLive(laptop.messenger.blocked, (ids) => ids.includes(ben.userId))
})

test('P7: what is blocked and unblocked on one device is known on the other at once, without a reconnection', async () => {
  const { ann, ben, phone, block } = await start()
  const laptop = await ann.device()
  await untilLive(laptop.messenger.connection, ({ state }) => state === 'live')
  await block(true)
  await untilLive(laptop.messenger.blocked, (ids) => ids.includes(ben.userId))
  await block(false)
  await untilLive(laptop.messenger.blocked, (ids) => ids.length === 0)
  await untilLive(phone.messenger.blocked, (ids) => ids.length === 0)
})
