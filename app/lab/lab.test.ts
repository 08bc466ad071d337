import { expect, test } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import { untilLive } from './device/read-conversation.ts'
import { openTestLab } from './open-test-lab.ts'

test('two people on three devices write to each other, and all see the same', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, laptop, tablet] = [await ann.device(), await ann.device(), await ben.device()]
  await phone.say(ben, 'hello')
  await tablet.say(ann, 'hi')
  await lab.settle()
  await laptop.say(ben, 'how are you?')
  await lab.settle()
  await lab.expectConverged()
  const texts = (await tablet.read(ann)).map(({ content }) => content)
  expect(texts.toSorted()).toEqual(['hello', 'hi', 'how are you?'])
})

test('a message that only one side has is found, and so is a status that falls', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const id = await phone.say(ben, 'hello')
  await lab.settle()
  tablet.network.goOffline()
  const held = must((await tablet.stored()).messages.get(id), 'the message')
  await tablet.plant([{ ...held, content: 'something else' }])
  await expect(lab.expectConverged()).rejects.toThrow('show different conversations')
  phone.network.goOffline()
  const own = must((await phone.stored()).messages.get(id), 'the message')
  const { conversations } = phone.messenger
  await untilLive(conversations, ([row]) => row?.lastMessage?.status === 'delivered')
  await phone.plant([{ ...own, status: 'read' }])
  await untilLive(conversations, ([row]) => row?.lastMessage?.status === 'read')
  await phone.plant([own])
  await untilLive(conversations, ([row]) => row?.lastMessage?.status === 'delivered')
  await expect(lab.expectConverged()).rejects.toThrow('fall from read to delivered')
})

test('it reports the pending work when it does not settle in time', async () => {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  phone.network.answer(503)
  await phone.say(ben, 'stuck')
  await expect(lab.settle({ stillMs: 300 })).rejects.toThrow('changes that are not sent')
})

test('it tells what a device did last that lacks what the server has, and of no other device', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  tablet.network.blockSockets()
  const releases = [tablet.network.holdPolls(), tablet.network.holdPulls()]
  await phone.say(ben, 'stuck')
  await expect.poll(() => phone.messenger.countUnsent()).toBe(0)
  const told = await lab.settle({ stillMs: 300 }).then(
    () => 'settled',
    (error: Error) => error.message,
  )
  for (const release of releases) release()
  expect(told).toContain('ben-1, tab 1, is')
  expect(told).toContain('"what":"GET messages/_changes')
  expect(told).not.toContain('ann-1, tab 1')
})

test('P6: words that were lost on all devices at once are found, and so is a deletion', async () => {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  const [edited, deleted] = [await phone.say(ben, 'hello'), await phone.say(ben, 'forget this')]
  await phone.edit(edited, 'hello Ben')
  await phone.delete(deleted)
  await lab.settle()
  await lab.expectConverged()
  phone.network.goOffline()
  const { messages } = await phone.stored()
  const held = must(messages.get(edited), 'the message')
  const lost = { ...held, content: 'hello', editedAt: Date.now() + 1 }
  await phone.plant([lost])
  await expect(lab.expectConverged()).rejects.toThrow('"content":"hello Ben"')
  const refused = { at: Date.now() + 1, code: 'deleted', error: 'It came too late.' }
  await phone.plant([{ ...lost, refused: { ...refused, content: 'hello Ben' } }])
  await lab.expectConverged()
  const { deletedAt, ...back } = must(messages.get(deleted), 'the deleted message')
  await phone.plant([back])
  await expect(lab.expectConverged()).rejects.toThrow(`the deletion of ${deleted} is lost`)
})
