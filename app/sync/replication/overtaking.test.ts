import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { waitUntil } from '../../lab/browser/wait-until.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

test('P5: of two messages that are on their way at once the later one may arrive first, and all see one order', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, laptop, tablet] = [await ann.device(), await ann.device(), await ben.device()]
  await lab.settle()
  const onItsWay = phone.network.holdWrites('messages')
  const first = await phone.say(ben, 'written first')
  await waitUntil('the first is on its way', () => onItsWay.count() > 0)
  const second = await laptop.say(ben, 'written second')
  await waitUntil('Ben has the second', async () => (await tablet.stored()).messages.has(second))
  expect((await ann.server.messages()).has(first)).toBe(false)
  onItsWay.release()
  await lab.settle()
  await lab.expectConverged()
  const texts = (await tablet.read(ann)).map(({ content }) => content)
  expect(texts).toEqual(['written second', 'written first'])
})

test('P6: an edit that a deletion overtakes changes nothing, and comes back to its author', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, laptop, tablet] = [await ann.device(), await ann.device(), await ben.device()]
  const id = await phone.say(ben, 'hello')
  await lab.settle()
  const onItsWay = phone.network.holdWrites('messages')
  await phone.edit(id, 'hello Ben')
  await waitUntil('the edit is on its way', () => onItsWay.count() > 0)
  await laptop.delete(id)
  const isDeleted = async () => (await tablet.read(ann))[0]?.deletedAt !== undefined
  await waitUntil('Ben sees that it is deleted', isDeleted)
  onItsWay.release()
  await lab.settle()
  await lab.expectConverged()
  const refused = { code: 'deleted', content: 'hello Ben' }
  for (const device of [phone, laptop]) {
    expect(await device.read(ben)).toMatchObject([{ content: '', refused }])
  }
  expect((await tablet.read(ann))[0]).not.toHaveProperty('refused')
})

test('P5: what a device says of a conversation may overtake what it says in it', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.say(ben, 'are you there?')
  await lab.settle()
  const onItsWay = tablet.network.holdWrites('messages')
  const answer = await tablet.say(ann, 'I am')
  await waitUntil('the answer is on its way', () => onItsWay.count() > 0)
  await tablet.messenger.commands.markRead(ann.userId)
  const isRead = async () => (await phone.read(ben))[0]?.status === 'read'
  await waitUntil('Ann sees that it was read', isRead)
  expect((await ben.server.messages()).has(answer)).toBe(false)
  onItsWay.release()
  await lab.settle()
  await lab.expectConverged()
  expect((await phone.read(ben)).map(({ content }) => content)).toEqual(['are you there?', 'I am'])
})

test.for(['before the server', 'after it'] as const)(
  'P10: what comes in is shown while own messages are held up %s, in whatever way it is asked for',
  async (where) => {
    const { lab, ann, ben } = await openTestLab()
    const [phone, tablet] = [await ann.device(), await ben.device()]
    await lab.settle()
    const { network } = phone
    const hold = () =>
      where === 'after it' ? network.holdResponses() : network.holdWrites('messages').release
    const release = hold()
    await phone.say(ben, 'held up')
    const isShown = (text: string) =>
      waitUntil(`${text} is shown`, async () =>
        (await phone.read(ben)).some(({ content }) => content === text),
      )
    await tablet.say(ann, 'meanwhile')
    await isShown('meanwhile')
    await phone.say(ben, 'held up behind it')
    await tablet.say(ann, 'once more')
    await isShown('once more')
    must(phone.tabs[0], 'the tab').page.setVisible(false)
    must(phone.tabs[0], 'the tab').page.setVisible(true)
    await tablet.say(ann, 'after a look at what is new')
    await isShown('after a look at what is new')
    network.blockSockets()
    await tablet.say(ann, 'without a socket')
    await isShown('without a socket')
    release()
    await lab.settle()
    await lab.expectConverged()
    expect(await phone.read(ben)).toHaveLength(6)
  },
)

test('P5: an answer that was under way while something was taken takes nothing back', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, laptop] = [await ann.device(), await ann.device()]
  await phone.say(ben, 'hello')
  phone.network.blockSockets()
  await lab.settle()
  const answer = phone.network.holdPolls()
  await laptop.messenger.commands.setMuted(ben.userId, true)
  const readOnServer = async () => (await ann.server.conversations()).get(ben.userId)
  const readOnPhone = async () => (await phone.stored()).conversations.get(ben.userId)
  await waitUntil('the server holds it', async () => (await readOnServer())?.isMuted === true)
  await phone.messenger.commands.setPinned(ben.userId, true)
  await waitUntil('the server holds both', async () => (await readOnServer())?.isPinned === true)
  const isTaken = async () => (await phone.messenger.countUnsent()) === 0
  await waitUntil('the phone knows that it was taken', isTaken)
  // The next version contains both changes.
  const next = phone.network.holdPolls()
  answer()
  await waitUntil('it has arrived', async () => (await readOnPhone())?.isMuted === true)
  expect(await readOnPhone()).toMatchObject({ isPinned: true, isMuted: true })
  next()
  await lab.settle()
  await lab.expectConverged()
  expect(await readOnPhone()).toMatchObject({ isPinned: true, isMuted: true })
})

test('P5: nor does it take back what was said of a message', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, laptop] = [await ann.device(), await ann.device()]
  const id = await phone.say(ben, 'hello')
  phone.network.blockSockets()
  await lab.settle()
  const answer = phone.network.holdPolls()
  await laptop.edit(id, 'hello Ben')
  const readOnServer = async () => (await ann.server.messages()).get(id)
  const readOnPhone = async () => (await phone.stored()).messages.get(id)
  await waitUntil(
    'the server holds the edit',
    async () => (await readOnServer())?.content === 'hello Ben',
  )
  await phone.messenger.commands.setStarred(id, true)
  await waitUntil('the server holds both', async () => (await readOnServer())?.isStarred === true)
  const isTaken = async () => (await phone.messenger.countUnsent()) === 0
  await waitUntil('the phone knows that it was taken', isTaken)
  const next = phone.network.holdPolls()
  answer()
  await waitUntil(
    'the edit has arrived',
    async () => (await readOnPhone())?.content === 'hello Ben',
  )
  expect(await readOnPhone()).toMatchObject({ isStarred: true })
  next()
  await lab.settle()
  await lab.expectConverged()
  expect(await readOnPhone()).toMatchObject({ content: 'hello Ben', isStarred: true })
})
