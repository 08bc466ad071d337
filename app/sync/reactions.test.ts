import { expect, test } from 'vitest'
import { listReactions } from '../../schema/reaction.ts'
import type { LabDevice } from '../lab/device/lab-device-types.ts'
import { openTestLab } from '../lab/open-test-lab.ts'

const twoHours = 2 * 60 * 60 * 1000

async function readReactions(device: LabDevice, messageId: string) {
  const message = (await device.stored()).messages.get(messageId)
  return Object.fromEntries(
    listReactions(message?.reactions).map(({ userId, emoji }) => [userId, emoji]),
  )
}

test('P5: two devices of one person react offline while the author does, and all agree', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [laptop, phone, tablet] = [await ann.device(), await ben.device(), await ben.device()]
  const id = await laptop.say(ben, 'what do you think?')
  await lab.settle()
  for (const device of [laptop, phone, tablet]) device.network.goOffline()
  await phone.messenger.commands.setReaction(id, '👍')
  await tablet.messenger.commands.setReaction(id, '👎')
  await tablet.messenger.commands.setReaction(id, '❤️')
  await laptop.messenger.commands.setReaction(id, '🙏')
  for (const device of [tablet, laptop, phone]) {
    device.network.goOnline()
    await lab.settle()
  }
  await lab.expectConverged()
  const both = { [ann.userId]: '🙏', [ben.userId]: '❤️' }
  for (const device of [laptop, phone, tablet]) {
    expect(await readReactions(device, id)).toEqual(both)
  }
})

test('P2 P6: a reaction whose answer is lost, and that is made again after a kill, is one', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [laptop, phone] = [await ann.device(), await ben.device()]
  const id = await laptop.say(ben, 'once')
  await lab.settle()
  phone.network.loseResponses(3)
  await phone.messenger.commands.setReaction(id, '👍')
  await phone.reload()
  await lab.settle()
  await phone.messenger.commands.setReaction(id, '')
  await phone.messenger.commands.setReaction(id, '😢')
  await lab.settle()
  await lab.expectConverged()
  expect(await readReactions(laptop, id)).toEqual({ [ben.userId]: '😢' })
})

test('a reaction to what is deleted meanwhile goes with it, and nobody asks again', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [laptop, phone] = [await ann.device(), await ben.device()]
  const id = await laptop.say(ben, 'soon gone')
  await lab.settle()
  phone.network.goOffline()
  await phone.messenger.commands.setReaction(id, '👍')
  await laptop.messenger.commands.deleteMessage(id)
  await lab.settle()
  phone.network.goOnline()
  await lab.settle()
  await lab.expectConverged()
  expect(await readReactions(phone, id)).toEqual({})
  expect((await phone.stored()).messages.get(id)?.refused).toBeUndefined()
})

test.for([twoHours, -twoHours])(
  'P5: a clock that is wrong by %i ms neither wins nor loses',
  async (clockAheadMs) => {
    const { lab, ann, ben } = await openTestLab()
    const laptop = await ann.device()
    const [wrong, right] = [await ben.device({ clockAheadMs }), await ben.device()]
    const id = await laptop.say(ben, 'what time is it?')
    await lab.settle()
    wrong.network.goOffline()
    await wrong.messenger.commands.setReaction(id, '👍')
    wrong.network.goOnline()
    await lab.settle()
    await right.messenger.commands.setReaction(id, '❤️')
    await lab.settle()
    await lab.expectConverged()
    expect(await readReactions(wrong, id)).toEqual({ [ben.userId]: '❤️' })
    await wrong.messenger.commands.setReaction(id, '😡')
    await lab.settle()
    await lab.expectConverged()
    expect(await readReactions(laptop, id)).toEqual({ [ben.userId]: '😡' })
  },
)
