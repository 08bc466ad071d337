import { v7 as createId } from 'uuid'
import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

type Lab = Awaited<ReturnType<typeof openTestLab>>

function write({ ann, ben }: Lab, fields: Partial<MessageDocument> = {}): MessageDocument {
  return messageDocument.parse({
    _id: createId(),
    peerId: ben.userId,
    senderId: ann.userId,
    recipientId: ben.userId,
    content: 'hello',
    createdAt: Date.now(),
    orderedAt: 1,
    ...fields,
  })
}

test('P4 P6: a forged sender is refused, its author told, and its neighbours pass', async () => {
  const opened = await openTestLab()
  const { lab, ann, ben } = opened
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const forged = write(opened, {
    senderId: ben.userId,
    recipientId: ann.userId,
    content: 'I owe Ann money',
  })
  await phone.plant([
    write(opened, { content: 'before' }),
    forged,
    write(opened, { content: 'after' }),
  ])
  await tablet.say(ann, 'incoming')
  await lab.settle()
  const texts = (await tablet.read(ann)).map(({ content }) => content)
  expect(texts.toSorted()).toEqual(['after', 'before', 'incoming'])
  expect((await phone.stored()).messages.get(forged._id)).toMatchObject({
    content: 'I owe Ann money',
    status: 'failed',
    errorCode: 'wrong_sender',
  })
  expect((await phone.read(ben)).map(({ content }) => content)).toContain('incoming')
})

test('P4 P6: a forged receipt changes nothing for anybody, and its author is told', async () => {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  const id = await phone.say(ben, 'hello')
  await lab.settle()
  const { messages } = await phone.stored()
  await phone.plant([{ ...must(messages.get(id), 'message'), status: 'read' }])
  await lab.settle()
  expect((await phone.read(ben)).map(({ status }) => status)).toEqual(['sent'])
  const refused = { code: 'forged_status', error: expect.any(String) }
  for (const { messages } of [await phone.stored(), { messages: await ann.server.messages() }]) {
    expect(messages.get(id)).toMatchObject({ status: 'sent', content: 'hello', refused })
  }
})

test("P4 P6: somebody else's message id cannot be taken over; the author may send it as a new one", async () => {
  const opened = await openTestLab()
  const { lab, ann, ben } = opened
  const cem = await lab.person('cem')
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const id = await tablet.say(cem, 'from Ben to Cem')
  await lab.settle()
  await phone.plant([write(opened, { _id: id, content: 'taken over' })])
  await lab.settle()
  expect((await tablet.stored()).messages.get(id)).toMatchObject({ content: 'from Ben to Cem' })
  const refused = (await phone.read(ben)).map(({ status, errorCode }) => ({ status, errorCode }))
  expect(refused).toEqual([{ status: 'failed', errorCode: 'foreign_id' }])
})

test('P6: a poison document in the middle of a batch holds up nothing, either way', async () => {
  const opened = await openTestLab()
  const { lab, ann, ben } = opened
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const poison = { ...write(opened), createdAt: 'yesterday', content: { $ne: 1 } }
  const neighbours = ['one', 'two', 'three'].map((content) => write(opened, { content }))
  // A damaged device holds values that no type allows.
  const batch = neighbours.toSpliced(1, 0, poison as unknown as MessageDocument)
  await phone.plant(batch)
  await lab.settle()
  await tablet.say(ann, 'still coming')
  await phone.say(ben, 'still leaving')
  await lab.settle()
  const texts = (await tablet.read(ann)).map(({ content }) => content)
  expect(texts.toSorted()).toEqual(['one', 'still coming', 'still leaving', 'three', 'two'])
  expect((await phone.stored()).messages.get(poison._id)).toMatchObject({
    status: 'failed',
    errorCode: 'unreadable',
  })
})

test('P6: a message to somebody who has no account comes back with the reason, and can be discarded', async () => {
  const { lab, ann } = await openTestLab()
  const phone = await ann.device()
  const nobody = { userId: createId() }
  const id = await phone.say(nobody, 'anybody there?')
  await lab.settle()
  expect(await phone.read(nobody)).toMatchObject([
    { status: 'failed', errorCode: 'unknown_person', content: 'anybody there?' },
  ])
  await phone.messenger.commands.retryMessage(id)
  await lab.settle()
  expect(await phone.read(nobody)).toMatchObject([{ status: 'failed', attempt: 2 }])
  await phone.messenger.commands.discardMessage(id)
  await lab.settle()
  expect(await phone.read(nobody)).toEqual([])
})

test('P6: a message larger than anything the server takes is refused on the device, and blocks nothing', async () => {
  const opened = await openTestLab()
  const { lab, ann, ben } = opened
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const huge = write(opened, { content: 'x'.repeat(9 * 1024 * 1024) })
  await phone.plant([huge])
  await phone.say(ben, 'a small one')
  await tablet.say(ann, 'incoming')
  await lab.settle()
  expect((await tablet.read(ann)).map(({ content }) => content).toSorted()).toEqual([
    'a small one',
    'incoming',
  ])
  expect((await phone.stored()).messages.get(huge._id)).toMatchObject({
    status: 'failed',
    errorCode: 'too_long',
  })
})
