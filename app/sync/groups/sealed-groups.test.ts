import { expect, onTestFinished, test } from 'vitest'
import { lineOf } from '../../../schema/api/groups.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

/** Ann, Ben and Cyd with keys, each with a device, in a group of Ann and Ben. */
async function start() {
  const withKeys = { hasKeys: true }
  const { lab, ann, ben } = await openTestLab({ settings: { GROUPS: 'on' } }, withKeys)
  const cyd = await lab.person('cyd', withKeys)
  const phone = await ann.device()
  const tablet = await ben.device()
  const laptop = await cyd.device()
  await lab.settle()
  const groupId = await phone.messenger.groups.create({ name: 'Walks', memberIds: [ben.userId] })
  return { lab, ann, ben, cyd, phone, tablet, laptop, groupId }
}

const say = (device: LabDevice, groupId: string, content: string) =>
  device.messenger.commands.sendMessage({ peerId: groupId, content })

const readWords = async (device: LabDevice, groupId: string) =>
  (await device.read({ userId: groupId })).flatMap(({ content }) => content || [])

const untilMembers = (device: LabDevice, groupId: string, count: number) =>
  expect.poll(() => device.messenger.groups.get(groupId).getSnapshot()?.members.length).toBe(count)

/** What the server gives of the group's messages. */
async function readServer(person: { token: string }, url: string, groupId: string) {
  const response = await fetch(`${url}/sync/groups/${groupId}/_all_docs?include_docs=true`, {
    headers: { authorization: `Bearer ${person.token}` },
  })
  const { rows } = (await response.json()) as { rows: { doc: MessageDocument }[] }
  return rows.map(({ doc }) => doc)
}

test('P13: words in a group leave sealed, and every member opens them', async () => {
  const { lab, ann, phone, tablet, groupId } = await start()
  await say(phone, groupId, 'who comes on Sunday?')
  await expect.poll(() => readWords(tablet, groupId)).toEqual(['who comes on Sunday?'])
  await say(tablet, groupId, 'I do')
  await expect.poll(() => readWords(phone, groupId)).toEqual(['who comes on Sunday?', 'I do'])
  const stored = await readServer(ann, lab.server.url, groupId)
  const text = JSON.stringify(stored)
  expect(text).not.toContain('Sunday')
  expect(text).not.toContain('I do')
  // One secret for both.
  expect(stored.filter((one) => 'epoch' in one)).toHaveLength(1)
  expect(stored.filter(({ sealed }) => sealed)).toHaveLength(2)
})

test('P13: who is removed gets no secret of what is written after, and the others have a new one', async () => {
  const { lab, ann, ben, cyd, phone, tablet, laptop, groupId } = await start()
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [cyd.userId] })
  await untilMembers(laptop, groupId, 3)
  await say(phone, groupId, 'one')
  await expect.poll(() => readWords(laptop, groupId)).toEqual(['one'])
  await phone.messenger.groups.change(groupId, { kind: 'remove', userId: ben.userId })
  await expect.poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.hasLeft).toBe(true)
  await say(phone, groupId, 'two')
  await expect.poll(() => readWords(laptop, groupId)).toEqual(['one', 'two'])
  const stored = await readServer(ann, lab.server.url, groupId)
  const epochs = stored.flatMap((one) =>
    'epoch' in one ? [Object.keys((one.epoch as { boxes: object }).boxes)] : [],
  )
  expect(epochs.at(-1)?.toSorted()).toEqual([ann.userId, cyd.userId].toSorted())
  expect(await readWords(tablet, groupId)).toEqual(['one'])
})

test('P13: who is added reads what those write who did not know of them yet', async () => {
  const { cyd, phone, tablet, laptop, groupId } = await start()
  await say(phone, groupId, 'one')
  await expect.poll(() => readWords(tablet, groupId)).toEqual(['one'])
  tablet.network.goOffline()
  await say(tablet, groupId, 'two')
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [cyd.userId] })
  await expect
    .poll(() => laptop.messenger.groups.get(groupId).getSnapshot()?.members.length)
    .toBe(3)
  // Nor does it hear of them now.
  const when = ({ path }: { path: string }) => path === '/sync/groups/_changes'
  tablet.network.add({ do: 'answer', status: 503, when })
  tablet.network.goOnline()
  await expect.poll(() => readWords(laptop, groupId)).toEqual(['two'])
  expect(await readWords(laptop, groupId)).not.toContain('one')
})

test('P13: who comes back reads what is sealed with a secret that was made for them while they were out', async () => {
  const { lab, cyd, phone, tablet, laptop, groupId } = await start()
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [cyd.userId] })
  for (const device of [tablet, laptop]) await untilMembers(device, groupId, 3)
  tablet.network.goOffline()
  await phone.messenger.groups.change(groupId, { kind: 'remove', userId: cyd.userId })
  await expect.poll(() => laptop.messenger.groups.get(groupId).getSnapshot()?.hasLeft).toBe(true)
  // Ben knows nothing of it: his secret is for all three, and gets there when Cyd is out.
  await say(tablet, groupId, 'one')
  tablet.network.goOnline()
  await expect.poll(() => readWords(phone, groupId)).toEqual(['one'])
  await untilMembers(tablet, groupId, 2)
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [cyd.userId] })
  for (const device of [tablet, laptop]) await untilMembers(device, groupId, 3)
  await say(tablet, groupId, 'two')
  await expect.poll(() => readWords(laptop, groupId)).toEqual(['two'])
  await lab.settle({ areFaultsOver: true })
})

test.each(['stays', 'is removed'])(
  'P13: who is added reads what is sealed by who did not know of them yet, and %s',
  async (then) => {
    const { lab, ben, cyd, phone, tablet, laptop, groupId } = await start()
    await expect.poll(() => tablet.messenger.groups.get(groupId).getSnapshot()).toBeDefined()
    // An answer that is on its way would not be held.
    await lab.settle({ areFaultsOver: true })
    const coming = createDeferred()
    onTestFinished(() => coming.resolve())
    // Neither asked for nor brought.
    tablet.network.blockSockets()
    tablet.network.cutSockets()
    const when = ({ path }: { path: string }) =>
      path === '/sync/groups/_changes' || path.startsWith('/poll')
    tablet.network.add({ do: 'hold', side: 'there', until: coming.promise, when })
    await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [cyd.userId] })
    await expect
      .poll(() => laptop.messenger.groups.get(groupId).getSnapshot()?.members.length)
      .toBe(3)
    // The first words of the group: their author makes a secret for the two that they know of.
    const id = await say(tablet, groupId, 'who comes?')
    await expect.poll(() => cyd.server.messages().then((all) => all.has(id))).toBe(true)
    expect(tablet.messenger.groups.get(groupId).getSnapshot()?.members).toHaveLength(2)
    if (then === 'is removed') {
      await phone.messenger.groups.change(groupId, { kind: 'remove', userId: ben.userId })
      await expect
        .poll(() => laptop.messenger.groups.get(groupId).getSnapshot()?.members.length)
        .toBe(2)
    }
    coming.resolve()
    await expect.poll(() => readWords(laptop, groupId)).toEqual(['who comes?'])
    await lab.settle({ areFaultsOver: true })
  },
)

test('P13: a second device of a member reads the group from its beginning', async () => {
  const { ben, phone, tablet, groupId } = await start()
  await say(phone, groupId, 'one')
  await say(phone, groupId, 'two')
  await expect.poll(() => readWords(tablet, groupId)).toEqual(['one', 'two'])
  const second = await ben.device()
  await expect.poll(() => readWords(second, groupId)).toEqual(['one', 'two'])
  await say(second, groupId, 'three')
  await expect.poll(() => readWords(phone, groupId)).toEqual(['one', 'two', 'three'])
})

test('words to a group with somebody who has no keys leave in plain', async () => {
  const { lab, ann, phone, groupId } = await start()
  const dan = await lab.person('dan')
  const desk = await dan.device()
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [dan.userId] })
  await expect.poll(() => desk.messenger.groups.get(groupId).getSnapshot()?.members.length).toBe(3)
  await say(phone, groupId, 'who comes?')
  await expect.poll(() => readWords(desk, groupId)).toEqual(['who comes?'])
  const stored = await readServer(ann, lab.server.url, groupId)
  expect(stored.find(({ content }) => content === 'who comes?')?.sealed).toBeUndefined()
})

test('P13: who comes by the link reads what is written from then on', async () => {
  const { lab, ann, cyd, phone, tablet, laptop, groupId } = await start()
  await say(phone, groupId, 'one')
  await expect.poll(() => readWords(tablet, groupId)).toEqual(['one'])
  const { code } = await call({ lab }, ann, `${groupId}/invite`)
  await call({ lab }, cyd, `join/${code}`)
  // Ben's device may not know of Cyd yet.
  await say(tablet, groupId, 'two')
  await expect.poll(() => readWords(laptop, groupId)).toEqual(['two'])
})

/** A group with words of two secrets: Ben wrote with the first, and was removed. */
async function openPast(settings: { showsHistory: boolean }) {
  const started = await start()
  const { ben, phone, tablet, groupId } = started
  await phone.messenger.groups.change(groupId, { kind: 'settings', settings })
  await say(phone, groupId, 'one')
  await expect.poll(() => readWords(tablet, groupId)).toEqual(['one'])
  await say(tablet, groupId, 'two')
  await expect.poll(() => readWords(phone, groupId)).toEqual(['one', 'two'])
  await phone.messenger.groups.change(groupId, { kind: 'remove', userId: ben.userId })
  const hasLine = async () =>
    (await phone.read({ userId: groupId })).some((one) => lineOf(one)?.change.kind === 'remove')
  await expect.poll(hasLine).toBe(true)
  await expect.poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.hasLeft).toBe(true)
  await say(phone, groupId, 'three')
  await expect.poll(() => phone.messenger.countUnsent()).toBe(0)
  return started
}

async function call(
  { lab }: Pick<Awaited<ReturnType<typeof start>>, 'lab'>,
  { token }: { token: string },
  path: string,
) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const url = `${lab.server.url}/api/groups/${path}`
  const response = await fetch(url, { method: 'POST', headers, body: '{}' })
  expect(response.ok).toBe(true)
  return (await response.json()) as { code: string }
}

test('P13: where a group shows its history, who is added reads all of it, of who has left, too', async () => {
  const { cyd, phone, laptop, groupId } = await openPast({ showsHistory: true })
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [cyd.userId] })
  await expect.poll(() => readWords(laptop, groupId)).toEqual(['one', 'two', 'three'])
  await say(laptop, groupId, 'four')
  await expect.poll(() => readWords(phone, groupId)).toEqual(['one', 'two', 'three', 'four'])
})

test('P13: who comes by the link reads the history once a device of some member is there, whosever it is', async () => {
  const opened = await openPast({ showsHistory: true })
  const { lab, ann, cyd, phone, laptop, groupId } = opened
  const dan = await lab.person('dan', { hasKeys: true })
  const desk = await dan.device()
  const { code } = await call(opened, ann, `${groupId}/invite`)
  await call(opened, dan, `join/${code}`)
  await expect.poll(() => readWords(desk, groupId)).toEqual(['one', 'two', 'three'])
  // Of the owner there is none, and nobody else is there when Cyd comes.
  await phone.close()
  desk.network.goOffline()
  await call(opened, cyd, `join/${code}`)
  await expect
    .poll(() => laptop.messenger.groups.get(groupId).getSnapshot()?.members.length)
    .toBe(3)
  expect(await readWords(laptop, groupId)).toEqual([])
  desk.network.goOnline()
  await expect.poll(() => readWords(laptop, groupId)).toEqual(['one', 'two', 'three'])
})

test('P12: of somebody who has no keys a device asks once, however many secrets it gives', async () => {
  const { lab, ben, phone, groupId } = await openPast({ showsHistory: true })
  const dan = await lab.person('dan')
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [dan.userId, ben.userId] })
  const tablet = await ben.device()
  // All secrets were looked through for both.
  await expect.poll(() => readWords(tablet, groupId)).toEqual(['one', 'two', 'three'])
  const asked = phone.network.exchanges.filter(({ url }) => url.endsWith(`/users/${dan.userId}`))
  expect(asked.length).toBe(1)
})

test('P13 P8: where a group does not show its history, a newcomer gets neither the words from before nor their secret', async () => {
  const { lab, ann, cyd, phone, laptop, groupId } = await openPast({ showsHistory: false })
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [cyd.userId] })
  await untilMembers(laptop, groupId, 2)
  await say(phone, groupId, 'four')
  await expect.poll(() => readWords(laptop, groupId)).toEqual(['four'])
  // Nor later, when it is shown to who comes then: their time began before.
  const settings = { showsHistory: true }
  await phone.messenger.groups.change(groupId, { kind: 'settings', settings })
  const dan = await lab.person('dan', { hasKeys: true })
  const desk = await dan.device()
  await phone.messenger.groups.change(groupId, { kind: 'add', userIds: [dan.userId] })
  await expect.poll(() => readWords(desk, groupId)).toEqual(['one', 'two', 'three', 'four'])
  expect(await readWords(laptop, groupId)).toEqual(['four'])
  const epochs = (await readServer(ann, lab.server.url, groupId)).flatMap((one) =>
    'epoch' in one ? [one.epoch as { name: string; boxes: Record<string, string> }] : [],
  )
  const namesOf = (userId: string) =>
    new Set(epochs.flatMap(({ name, boxes }) => (userId in boxes ? [name] : [])))
  // Ben's time had a secret of its own, which Dan has and Cyd has not.
  expect(namesOf(ann.userId).size).toBe(namesOf(cyd.userId).size + 1)
  expect(namesOf(dan.userId)).toEqual(namesOf(ann.userId))
})

test('P13 P6: words for a sealed group that its author has left meanwhile do not leave the device, and say so', async () => {
  const { lab, ann, phone, tablet, groupId } = await start()
  await say(phone, groupId, 'one')
  await expect.poll(() => readWords(tablet, groupId)).toEqual(['one'])
  // Nobody's device gives Dan the secret.
  await phone.close()
  const change = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${lab.server.url}/api/groups/${groupId}/members${path}`, {
      method,
      headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(response.status).toBe(200)
  }
  // Nor does Ben's read Dan's keys, for which his words wait.
  const isOfPeople = ({ path }: { path: string }) => path.startsWith('/api/users')
  tablet.network.add({ do: 'answer', status: 503, when: isOfPeople })
  const dan = await lab.person('dan', { hasKeys: true })
  await change('POST', '', { memberIds: [dan.userId] })
  await expect
    .poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.members.length)
    .toBe(3)
  tablet.network.goOffline()
  await say(tablet, groupId, 'the albatross lands')
  await change('DELETE', `/${tablet.userId}`)
  const told: string[] = []
  tablet.network.record((text) => told.push(text))
  tablet.network.goOnline()
  await expect.poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.hasLeft).toBe(true)
  const find = async () =>
    [...(await tablet.stored()).messages.values()].find(
      ({ content }) => content === 'the albatross lands',
    )
  await expect.poll(async () => (await find())?.status).toBe('failed')
  expect(await find()).toMatchObject({ errorCode: 'group_left' })
  await expect.poll(() => tablet.messenger.countUnsent()).toBe(0)
  expect(told.join('\n')).not.toContain('albatross')
})
