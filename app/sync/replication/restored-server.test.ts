import { expect, onTestFinished, test } from 'vitest'
import { epochHeader } from '../../../schema/api/wire.ts'
import { startCouch } from '../../../sync-server/testing/couch/start-couch.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import type { LabPerson } from '../../lab/device/lab-person.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

const storages = ['LevelDB', 'a CouchDB'] as const

async function openLab(storage: (typeof storages)[number] = 'LevelDB') {
  if (storage === 'LevelDB') return await openTestLab()
  const couch = await startCouch({ isOnDisk: true })
  onTestFinished(() => couch.close())
  return await openTestLab({ couch })
}

/** Ann and Ben with a device each, and a backup that has her first message to him. */
async function openWithBackup() {
  const { lab, ann, ben } = await openLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.say(ben, 'in the backup')
  await lab.settle()
  await lab.server.takeBackup()
  return { lab, ann, ben, phone, tablet }
}

async function readTexts(device: LabDevice, withWhom: LabPerson) {
  return (await device.read(withWhom)).map(({ content }) => content)
}

async function readPlaces(device: LabDevice) {
  const { messages } = await device.stored()
  return [...messages.values()].map(({ _id, orderedAt }) => `${orderedAt} ${_id}`).sort()
}

/** Asks like Ann's own program, with the given epoch or without one. */
async function askChanges(
  lab: { server: { url: string } },
  person: LabPerson,
  asked: { since: number; epoch?: string },
) {
  const { since, epoch } = asked
  const headers = {
    authorization: `Bearer ${person.token}`,
    ...(epoch !== undefined && { [epochHeader]: epoch }),
  }
  const url = `${lab.server.url}/sync/messages/_changes?since=${since}`
  return (await fetch(url, { headers })).headers.get(epochHeader) ?? ''
}

test.for(storages)(
  'P1 P2: what a backup on %s lacks comes back from the devices: once, in its place, as read as it was',
  async (storage) => {
    const { lab, ann, ben } = await openLab(storage)
    const [phone, tablet] = [await ann.device(), await ben.device()]
    const first = await phone.say(ben, 'in the backup')
    await lab.settle()
    await lab.server.takeBackup()
    await phone.say(ben, 'lost one')
    await lab.settle()
    await tablet.say(ann, 'lost two')
    await lab.settle()
    const third = await phone.say(ben, 'lost three')
    const deleted = await phone.say(ben, 'lost and taken back')
    await phone.edit(first, 'in the backup, edited')
    await lab.settle()
    await phone.delete(deleted)
    await tablet.messenger.commands.markRead(ann.userId)
    await tablet.messenger.commands.setStarred(third, true)
    await tablet.messenger.commands.setPinned(ann.userId, true)
    await lab.settle()
    const before = await readPlaces(phone)

    await lab.server.putBackBackup({ restored: 'today' })
    await lab.settle()
    await lab.expectConverged()
    const texts = ['in the backup, edited', 'lost one', 'lost two', 'lost three', '']
    expect(await readTexts(phone, ben)).toEqual(texts)
    expect(await readTexts(tablet, ann)).toEqual(texts)
    expect(await readPlaces(phone)).toEqual(before)
    expect(await readPlaces(tablet)).toEqual(before)
    expect((await tablet.stored()).messages.get(third)).toMatchObject({ isStarred: true })
    expect((await phone.read(ben)).slice(0, 4).map(({ status }) => status)).toEqual([
      'read',
      'read',
      'delivered',
      'read',
    ])
    const row = { isPinned: true, unreadCount: 0 }
    await expect.poll(() => tablet.messenger.conversations.getSnapshot()).toMatchObject([row])

    await phone.say(ben, 'after it')
    await lab.settle()
    await lab.expectConverged()
    expect(await readTexts(tablet, ann)).toEqual([...texts, 'after it'])
  },
)

test.for(storages)(
  'P1: devices that are ahead of a restored server on %s see every new message',
  async (storage) => {
    const { lab, ann, ben } = await openLab(storage)
    const [phone, tablet] = [await ann.device(), await ben.device()]
    const cem = await lab.person('cem')
    await lab.server.takeBackup()
    for (const text of ['lost one', 'lost two', 'lost three']) await phone.say(ben, text)
    await lab.settle()
    phone.network.goOffline()
    tablet.network.goOffline()
    await phone.say(ben, 'written offline')

    await lab.server.putBackBackup({ restored: 'today' })
    // More than was lost, so that the server's sequence passes the devices' places.
    const desktop = await cem.device()
    const news = ['1', '2', '3', '4', '5', '6']
    for (const text of news) await desktop.say(ann, `for Ann ${text}`)
    for (const text of news) await desktop.say(ben, `for Ben ${text}`)
    await lab.settle()
    phone.network.goOnline()
    tablet.network.goOnline()
    await lab.settle()
    await lab.expectConverged()
    expect(await readTexts(phone, cem)).toEqual(news.map((text) => `for Ann ${text}`))
    expect(await readTexts(tablet, cem)).toEqual(news.map((text) => `for Ben ${text}`))
    const texts = ['lost one', 'lost two', 'lost three', 'written offline']
    expect(await readTexts(tablet, ann)).toEqual(texts)
  },
)

test('P1: a restore that nobody tells of is noticed by whoever is ahead', async () => {
  const { lab, ann, ben, phone, tablet } = await openWithBackup()
  await phone.say(ben, 'lost one')
  await lab.settle()
  await tablet.say(ann, 'lost two')
  await lab.settle()
  const before = await readPlaces(phone)

  await lab.server.putBackBackup()
  await lab.settle()
  // Ticks may be missing until the reader's device reports them again.
  const texts = ['in the backup', 'lost one', 'lost two']
  expect((await readTexts(phone, ben)).toSorted()).toEqual(texts)
  expect(await readPlaces(phone)).toHaveLength(before.length)
  await phone.say(ben, 'after it')
  await lab.settle()
  expect((await readTexts(tablet, ann)).at(-1)).toBe('after it')
  expect(await readTexts(phone, ben)).toEqual(await readTexts(tablet, ann))
})

test('P12: after a restore only what the server lacks leaves the device again', async () => {
  const { lab, ben, phone } = await openWithBackup()
  // The server refuses everything with these words, so it stays unsent.
  phone.network.refuseWords('in the backup', 403)
  await lab.server.putBackBackup({ restored: 'today' })
  const id = await phone.say(ben, 'after it')
  // In the new epoch all is owed until it has been offered, or is known to be there.
  await expect.poll(async () => (await phone.stored()).messages.get(id)?.status).toBe('sent')
  await expect.poll(() => phone.messenger.countUnsent()).toBe(0)
})

test('P1: what only its reader has left comes back to the reader’s other devices', async () => {
  const { lab, ann, ben, phone, tablet } = await openWithBackup()
  await phone.say(ben, 'lost')
  await lab.settle()
  await phone.close()

  await lab.server.putBackBackup({ restored: 'today' })
  const laptop = await ben.device()
  await expect.poll(() => readTexts(laptop, ann)).toEqual(['in the backup', 'lost'])
  expect(await readTexts(tablet, ann)).toEqual(['in the backup', 'lost'])

  await phone.reload()
  await lab.settle()
  await lab.expectConverged()
  expect(await readTexts(phone, ben)).toEqual(['in the backup', 'lost'])
})

test('P1: a device that was away during two restores gives back what both have lost', async () => {
  const { lab, ann, ben } = await openLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.server.takeBackup()
  await phone.say(ben, 'lost by both')
  await lab.settle()
  await phone.close()
  await lab.server.putBackBackup({ restored: 'once' })
  await tablet.say(ann, 'between')
  await tablet.network.goOffline()
  await tablet.close()
  await lab.server.putBackBackup({ restored: 'twice' })
  await phone.reload()
  tablet.network.goOnline()
  await tablet.reload()
  await lab.settle()
  await lab.expectConverged()
  expect(await readTexts(phone, ben)).toEqual(['lost by both', 'between'])
})

test('a plain restart, and the same restore named again, raise nothing', async () => {
  const { lab, ann } = await openLab()
  const phone = await ann.device()
  await lab.settle()
  const epoch = await askChanges(lab, ann, { since: 0 })
  expect(epoch).not.toBe('')
  await lab.server.kill()
  await lab.server.start()
  expect(await askChanges(lab, ann, { since: 0 })).toBe(epoch)
  await lab.server.takeBackup()
  await lab.server.putBackBackup({ restored: 'today' })
  const restored = await askChanges(lab, ann, { since: 0 })
  expect(restored).not.toBe(epoch)
  await lab.server.kill()
  await lab.server.start()
  expect(await askChanges(lab, ann, { since: 0 })).toBe(restored)
  await lab.settle()
  expect(phone.isOpen).toBe(true)
})

test('P1: an author who returns late still gets a receipt that its reader has restored', async () => {
  const { lab, ann, ben } = await openLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.server.takeBackup()
  tablet.network.goOffline()
  const id = await phone.say(ben, 'lost')
  await expect.poll(async () => (await phone.stored()).messages.get(id)?.status).toBe('sent')
  phone.network.goOffline()
  tablet.network.goOnline()
  const readMark = async () =>
    (await ben.server.conversations()).get(ann.userId)?.deliveredUpTo ?? 0
  await expect.poll(readMark).toBeGreaterThan(0)
  await lab.server.putBackBackup({ restored: 'today' })
  await expect.poll(readMark).toBeGreaterThan(0)
  phone.network.goOnline()
  await lab.settle()
  await lab.expectConverged()
})

test('P12: who pretends to be ahead makes nobody else begin again', async () => {
  const { lab, ann, ben } = await openLab()
  const tablet = await ben.device()
  // From then on its line brings all, and its first catch-up is over.
  await expect.poll(lab.server.stats).toMatchObject({ followed: 2 })
  await tablet.say(ann, 'its place is no beginning any more')
  await lab.settle()
  const epochs = {
    ann: await askChanges(lab, ann, { since: 0 }),
    ben: await askChanges(lab, ben, { since: 0 }),
  }
  // It may ask for what is new at any time: a word of the server's place may meet its own on the way.
  const listPulledAfter = () =>
    (['messages', 'conversations'] as const).map(tablet.network.listPulledAfter)
  const before = listPulledAfter()
  // Other programs know no epoch, and a device with another one starts over anyway.
  for (const epoch of [undefined, 'another']) {
    const forged = { since: 999_999, ...(epoch !== undefined && { epoch }) }
    expect(await askChanges(lab, ann, forged)).toBe(epochs.ann)
  }
  const raised = await askChanges(lab, ann, { since: 999_999, epoch: epochs.ann })
  expect(raised).not.toBe(epochs.ann)
  expect(await askChanges(lab, ann, { since: 0 })).toBe(raised)
  expect(await askChanges(lab, ben, { since: 0 })).toBe(epochs.ben)
  await lab.settle()
  const since = listPulledAfter().map((places, at) => places.slice(before[at]?.length))
  expect(since.flat()).not.toContain('0')
})
