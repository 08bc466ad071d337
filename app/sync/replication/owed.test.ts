import { expect, test } from 'vitest'
import { waitUntil } from '../../lab/browser/wait-until.ts'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

const minuteMs = 60_000

async function openPhones() {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const textsAtBen = async () => (await tablet.read(ann)).map(({ content }) => content)
  return { lab, ann, ben, phone, tablet, textsAtBen }
}

test.for([
  ['half a minute fast', minuteMs / 2],
  ['ten minutes fast', 10 * minuteMs],
  ['ten minutes slow', -10 * minuteMs],
] as const)(
  'P11: what is written offline around a clock that was %s leaves after any start',
  async ([, aheadMs]) => {
    const { lab, ben, phone, textsAtBen } = await openPhones()
    const id = await phone.say(ben, 'sent')
    await lab.settle()
    phone.network.goOffline()
    await phone.say(ben, 'by the wrong clock')
    await phone.close()
    await phone.advanceWriteTimes(aheadMs)
    await phone.reload()
    await phone.say(ben, 'by the right clock')
    await phone.edit(id, 'edited by the right clock')
    await phone.close()
    // The wrong time has passed.
    await phone.advanceWriteTimes(-Math.abs(aheadMs) - minuteMs)
    await phone.reload()
    expect(await phone.messenger.countUnsent()).toBeGreaterThanOrEqual(3)
    phone.network.goOnline()
    await lab.settle()
    await lab.expectConverged()
    expect(await textsAtBen()).toEqual([
      'edited by the right clock',
      'by the wrong clock',
      'by the right clock',
    ])
  },
)

test('P11: a disk that fails while the device comes online ends nothing', async () => {
  const { lab, ann, ben, phone, tablet, textsAtBen } = await openPhones()
  await phone.say(ben, 'before')
  await lab.settle()
  phone.network.goOffline()
  await phone.say(ben, 'written offline')
  await tablet.say(ann, 'while it was away')
  phone.disk.fail()
  phone.network.goOnline()
  const refused = phone.disk.countRefused()
  // Each recovery finds the disk unchanged.
  await waitUntil('it has tried again', () => phone.disk.countRefused() > refused + 8)
  phone.disk.makeRoom()
  await lab.settle()
  expect((await textsAtBen()).toSorted()).toEqual(
    ['before', 'written offline', 'while it was away'].toSorted(),
  )
})

test('P11: a disk that fails while the device is filled for the first time ends nothing', async () => {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  for (const text of ['one', 'two', 'three']) await phone.say(ben, text)
  await lab.settle()
  const tablet = await ben.device()
  tablet.disk.fail()
  await waitUntil('the disk has failed', () => tablet.disk.countRefused() > 8)
  tablet.disk.makeRoom()
  await lab.settle()
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(['one', 'two', 'three'])
})

test('P11: a database that is deleted under the open page begins at the beginning', async () => {
  const { lab, ann, ben, phone, tablet } = await openPhones()
  const texts = Array.from({ length: 12 }, (_, number) => `message ${number}`)
  for (const text of texts.slice(0, 10)) await phone.say(ben, text)
  await lab.settle()
  await tablet.disk.erase()
  for (const text of texts.slice(10)) await phone.say(ben, text)
  await lab.settle()
  await tablet.reload()
  await lab.settle()
  expect((await tablet.read(ann)).map(({ content }) => content)).toEqual(texts)
})

test('P11: connections that the browser closes under the page are opened again', async () => {
  const { lab, ben, phone, tablet, textsAtBen } = await openPhones()
  await phone.say(ben, 'before')
  await lab.settle()
  tablet.disk.closeConnections()
  phone.disk.closeConnections()
  await phone.say(ben, 'after')
  await lab.settle()
  expect(await textsAtBen()).toEqual(['before', 'after'])
})

test.for([403, 413, 429, 500])(
  'P6 P11: a message that something always answers with %i holds up nothing, and is offered again',
  async (status) => {
    const { lab, ann, ben, phone, tablet, textsAtBen } = await openPhones()
    await lab.settle()
    phone.network.refuseWords('union select', status)
    phone.network.goOffline()
    for (const text of ['one', 'about union select', 'two']) await phone.say(ben, text)
    phone.network.goOnline()
    await tablet.say(ann, 'an answer')
    await waitUntil('the others are there', async () => (await textsAtBen()).includes('two'))
    const { connection } = phone.messenger
    await waitUntil('what comes is there', async () => (await phone.read(ben)).length === 4)
    await waitUntil('it is told', () =>
      Boolean(connection.getSnapshot().words?.includes(`answer ${status}`)),
    )
    expect(await phone.messenger.countUnsent()).toBeGreaterThanOrEqual(1)
    // A restart does not know about it, and offers it again.
    await phone.reload()
    expect(await phone.messenger.countUnsent()).toBeGreaterThanOrEqual(1)
    phone.network.calm()
    await lab.settle()
    expect(await textsAtBen()).toContain('about union select')
    await untilLive(phone.messenger.connection, ({ words }) => words === undefined)
  },
)
