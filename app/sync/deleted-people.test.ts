import { expect, test } from 'vitest'
import { nameOf } from '../database/storage/known-peer.ts'
import type { LabDevice } from '../lab/device/lab-device-types.ts'
import type { LabPerson } from '../lab/device/lab-person.ts'
import { openTestLab } from '../lab/open-test-lab.ts'

async function deleteAccount(person: LabPerson, serverUrl: string) {
  const response = await fetch(`${serverUrl}/api/users/me`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ password: `${person.name}'s password` }),
  })
  expect(response.status).toBe(200)
}

const names = (device: LabDevice) =>
  device.messenger.conversations.getSnapshot().map((row) => nameOf(row.peer))

const listLookups = (device: LabDevice) =>
  device.network.listRequests().filter((one) => /\/api\/users\/[\da-f]+-/.test(one))

test('whoever has left is asked for once, and is a deleted user from then on', async () => {
  const { lab, ann, ben } = await openTestLab()
  const gone = await Promise.all(['cyd', 'dan', 'eve', 'fay'].map((name) => lab.person(name)))
  for (const person of gone) await (await person.device()).say(ann, `I am ${person.name}`)
  await lab.settle()
  for (const person of gone) await deleteAccount(person, lab.server.url)
  const phone = await ann.device()
  const friend = await ben.device()
  const expected = ['ben', ...gone.map(() => 'Deleted user')]
  for (let count = 1; count <= 10; count += 1) {
    await friend.say(ann, `message ${count}`)
    await expect.poll(async () => (await phone.read(ben)).length).toBe(count)
  }
  await expect.poll(() => names(phone)).toEqual(expected)
  expect(listLookups(phone)).toHaveLength(gone.length)
  await phone.reload()
  phone.network.hurry()
  await friend.say(ann, 'and one more')
  await expect.poll(async () => (await phone.read(ben)).length).toBe(11)
  expect(names(phone)).toEqual(expected)
  expect(listLookups(phone)).toHaveLength(gone.length)
  const offered = phone.messenger.users.list().getSnapshot()
  expect(offered.map(({ username }) => username)).toEqual(['ben'])
})

test('somebody known who leaves is a deleted user once the network is back', async () => {
  const { lab, ann } = await openTestLab()
  const [cyd, dan] = [await lab.person('cyd'), await lab.person('dan')]
  const phone = await ann.device()
  for (const person of [cyd, dan]) await (await person.device()).say(ann, 'hello')
  await expect.poll(() => names(phone).toSorted()).toEqual(['cyd', 'dan'])
  phone.network.goOffline()
  await deleteAccount(dan, lab.server.url)
  phone.network.goOnline()
  await expect.poll(() => names(phone).toSorted()).toEqual(['Deleted user', 'cyd'])
  phone.network.hurry()
  await deleteAccount(cyd, lab.server.url)
  phone.network.hurry()
  await expect.poll(() => names(phone)).toEqual(['Deleted user', 'Deleted user'])
  expect(new Set(listLookups(phone)).size).toBe(listLookups(phone).length)
})

test('a stranger who leaves is offered to nobody any more', async () => {
  const { lab, ann } = await openTestLab()
  const cyd = await lab.person('cyd')
  const phone = await ann.device()
  const offered = () => phone.messenger.users.list().getSnapshot()
  await expect.poll(() => offered().map(({ username }) => username)).toContain('cyd')
  await deleteAccount(cyd, lab.server.url)
  phone.network.hurry()
  await expect.poll(() => offered().map(({ username }) => username)).not.toContain('cyd')
  await phone.reload()
  expect(offered().map(({ username }) => username)).not.toContain('cyd')
})

test('an address that was typed wrong is no deleted user', async () => {
  const { lab, ann } = await openTestLab()
  const phone = await ann.device()
  await lab.settle()
  const nobody = crypto.randomUUID()
  const value = phone.messenger.users.get(nobody)
  await expect.poll(() => listLookups(phone)).toEqual([`GET /api/users/${nobody}`])
  await expect(phone.messenger.users.load(nobody)).rejects.toThrow('User not found')
  expect(value.getSnapshot()).toBeUndefined()
})

test('whoever is gone when a block or a report of them is refused is a deleted user there', async () => {
  const { lab, ann } = await openTestLab()
  const cyd = await lab.person('cyd')
  const phone = await ann.device()
  await lab.settle()
  phone.network.goOffline()
  const { messenger } = phone
  await messenger.requests.add({ kind: 'report', userId: cyd.userId, reason: 'They were rude.' })
  await deleteAccount(cyd, lab.server.url)
  phone.network.goOnline()
  await expect
    .poll(() => messenger.requests.entries.getSnapshot().map(({ state }) => state))
    .toEqual(['refused'])
  const name = () => phone.messenger.users.get(cyd.userId).getSnapshot()?.username
  await expect.poll(name).toBe('Deleted user')
  await phone.reload()
  await expect.poll(name).toBe('Deleted user')
  const offered = phone.messenger.users.list().getSnapshot()
  expect(offered.map(({ username }) => username)).toEqual(['ben'])
})
