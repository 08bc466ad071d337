import { IDBKeyRange } from 'fake-indexeddb'
import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { openDeviceStore } from '../../database/storage/open-device-store.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

/** Ann has a group with Ben; what becomes of it reaches her device only once `letThrough` is called. */
async function start(people: { hasKeys?: boolean } = {}) {
  const { lab, ann, ben } = await openTestLab({ settings: { GROUPS: 'on' } }, people)
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  const { add } = phone.network
  const isAsked = ({ path }: { path: string }) => path === '/sync/groups/_changes'

  /** Nothing of any group reaches the phone. */
  function holdGroups() {
    const held = add({ do: 'lose-request', when: isAsked })
    return () => {
      held.remove()
      phone.network.hurry()
    }
  }
  const open = () => phone.messenger.groups.create({ name: 'Walks', memberIds: [ben.userId] })
  const say = (groupId: string, content: string) =>
    phone.messenger.commands.sendMessage({ peerId: groupId, content })

  async function untilThere(id: string) {
    await expect.poll(async () => (await ann.server.messages()).has(id)).toBe(true)
  }

  async function askToEnd(groupId: string) {
    const address = `${lab.server.url}/api/groups/${groupId}`
    const headers = { authorization: `Bearer ${ann.token}` }
    return await fetch(address, { method: 'DELETE', headers })
  }
  const end = async (groupId: string) => expect((await askToEnd(groupId)).ok).toBe(true)
  return { lab, ann, ben, phone, tablet, holdGroups, open, say, untilThere, askToEnd, end }
}

const find = async (device: LabDevice, id: string) =>
  must((await device.stored()).messages.get(id), 'a message')

const groupOn = ({ messenger }: LabDevice, groupId: string) =>
  must(messenger.groups.get(groupId).getSnapshot(), 'a group')

test('P14: a group that ended before its device pulled anything of it is over there too, and its words come back', async () => {
  const { ann, phone, tablet, holdGroups, open, say, end } = await start()
  const letThrough = holdGroups()
  const groupId = await open()
  await expect.poll(async () => (await ann.server.groups()).has(groupId)).toBe(true)
  await expect.poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.name).toBe('Walks')
  phone.network.goOffline()
  const late = await say(groupId, 'who comes?')
  await end(groupId)
  phone.network.goOnline()
  letThrough()
  await expect.poll(() => groupOn(phone, groupId).hasLeft).toBe(true)
  await expect
    .poll(() => find(phone, late))
    .toMatchObject({ status: 'failed', content: 'who comes?', errorCode: 'group_not_found' })
})

test.each([false, true])(
  'P11: words that a group took before it ended were sent, also where its answer never came (keys: %s)',
  async (hasKeys) => {
    const { lab, phone, holdGroups, open, say, untilThere, end } = await start({ hasKeys })
    const groupId = await open()
    await untilThere(await say(groupId, 'one'))
    await lab.settle()
    const letThrough = holdGroups()
    const id = await say(groupId, 'two')
    await untilThere(id)
    await end(groupId)
    letThrough()
    await expect.poll(() => groupOn(phone, groupId).hasLeft).toBe(true)
    await expect.poll(() => find(phone, id)).toMatchObject({ status: 'sent', content: 'two' })
    await expect.poll(() => phone.messenger.countUnsent()).toBe(0)
    await phone.reload()
    expect(await find(phone, id)).toMatchObject({ status: 'sent', content: 'two' })
  },
)

test('P11: words that a group took were sent, also where the server died while it took away what was left of the group', async () => {
  const { lab, ann, phone, holdGroups, open, say, untilThere, askToEnd } = await start()
  const groupId = await open()
  await untilThere(await say(groupId, 'one'))
  await lab.settle()
  const letThrough = holdGroups()
  // Nor does the line say what became of it.
  phone.network.blockSockets()
  const id = await say(groupId, 'two')
  await untilThere(id)
  const place = must((await ann.server.messages()).get(id), 'a message').orderedAt
  const readTold = async () => (await ann.server.conversations()).get(groupId)
  // Nothing else is written any more.
  await expect.poll(async () => (await readTold())?.peerDeliveredUpTo).toBe(place)
  // The record alone says that it is over.
  void lab.server.killAtWrite({ after: 0, side: 'after' })
  await askToEnd(groupId).catch(() => {})
  await expect.poll(() => lab.server.isRunning()).toBe(false)
  await lab.server.start()
  letThrough()
  await expect.poll(() => groupOn(phone, groupId).hasLeft).toBe(true)
  await expect.poll(() => find(phone, id)).toMatchObject({ status: 'sent', content: 'two' })
  await expect.poll(() => phone.messenger.countUnsent()).toBe(0)
})

test('P11: words that a group took were sent, also where the device died once it knew that the group is over', async () => {
  const { ann, phone, tablet, holdGroups, open, say, untilThere, end } = await start()
  const letThrough = holdGroups()
  phone.network.blockSockets()
  const groupId = await open()
  await expect.poll(async () => (await ann.server.groups()).has(groupId)).toBe(true)
  const id = await say(groupId, 'who comes?')
  await untilThere(id)
  await expect.poll(() => tablet.messenger.groups.get(groupId).getSnapshot()?.name).toBe('Walks')
  await end(groupId)
  await phone.close()
  expect(await find(phone, id)).toMatchObject({ status: 'sending' })
  const { indexedDB } = phone.disk
  const name = `petrel-${ann.userId}-${phone.name}`
  const store = await openDeviceStore({ name, indexedDB, IDBKeyRange })
  expect(await store.groups.update(groupId, { hasLeft: true })).toBe(1)
  store.close()
  letThrough()
  await phone.openTab()
  await expect.poll(() => find(phone, id)).toMatchObject({ status: 'sent', content: 'who comes?' })
  await expect.poll(() => phone.messenger.countUnsent()).toBe(0)
})

test.each([false, true])(
  'P6: an edit and a reaction in a group that is over come back with the reason, and a star stays (keys: %s)',
  async (hasKeys) => {
    const { lab, phone, open, say, untilThere, end } = await start({ hasKeys })
    const groupId = await open()
    const ids = [await say(groupId, 'at ten'), await say(groupId, 'at the mill')] as const
    for (const id of ids) await untilThere(id)
    await lab.settle()
    phone.network.goOffline()
    await phone.messenger.commands.editMessage(ids[0], 'at noon')
    await phone.messenger.commands.setStarred(ids[1], true)
    await end(groupId)
    phone.network.goOnline()
    await expect
      .poll(() => find(phone, ids[0]))
      .toMatchObject({
        content: 'at ten',
        refused: { content: 'at noon', code: 'group_not_found' },
      })
    await expect.poll(() => phone.messenger.countUnsent()).toBe(0)
    const starred = await find(phone, ids[1])
    expect(starred).toMatchObject({ content: 'at the mill', isStarred: true })
    expect(starred.refused).toBeUndefined()
    await phone.messenger.commands.setReaction(ids[1], '👍')
    await expect
      .poll(() => find(phone, ids[1]))
      .toMatchObject({
        isStarred: true,
        refused: { code: hasKeys ? 'group_left' : 'group_not_found' },
      })
    expect((await find(phone, ids[1])).reactions ?? {}).toEqual({})
    await expect.poll(() => phone.messenger.countUnsent()).toBe(0)
  },
)

test('P6 P13: a reaction in a sealed group that its author has left comes back, and nothing of it leaves', async () => {
  const { lab, ben, phone, tablet, open, say, untilThere } = await start({ hasKeys: true })
  const groupId = await open()
  const id = await say(groupId, 'at ten')
  await untilThere(id)
  await expect.poll(async () => (await tablet.stored()).messages.get(id)?.content).toBe('at ten')
  await phone.messenger.groups.change(groupId, { kind: 'remove', userId: ben.userId })
  await expect.poll(() => groupOn(tablet, groupId).hasLeft).toBe(true)
  await lab.settle()
  const when = ({ text }: { text: string | undefined }) => text?.includes('👍') === true
  const inPlain = tablet.network.add({ do: 'delay', upToMs: 0, when })
  await tablet.messenger.commands.setReaction(id, '👍')
  await expect
    .poll(() => find(tablet, id))
    .toMatchObject({ content: 'at ten', refused: { code: 'group_left' } })
  expect((await find(tablet, id)).reactions ?? {}).toEqual({})
  await lab.settle()
  expect(inPlain.count()).toBe(0)
})
