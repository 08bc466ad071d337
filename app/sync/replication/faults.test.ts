import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { waitUntil } from '../../lab/browser/wait-until.ts'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import type { LabPerson } from '../../lab/device/lab-person.ts'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

const twenty = Array.from({ length: 20 }, (_, i) => `message ${i + 1}`)

async function readTexts(device: LabDevice, withWhom: LabPerson) {
  return (await device.read(withWhom)).map(({ content }) => content)
}

test('P2: answers that are lost after the server has acted bring nothing twice', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  phone.network.loseResponses(3)
  for (const text of twenty) await phone.say(ben, text)
  await lab.settle()
  await lab.expectConverged()
  expect(await readTexts(tablet, ann)).toEqual(twenty)
})

test('P2: writes that arrive twice, and again after later ones, count once', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  phone.network.duplicate()
  phone.network.reorder()
  phone.network.delay(15)
  const first = await phone.say(ben, 'first')
  await lab.settle()
  await phone.messenger.commands.editMessage(first, 'first, edited')
  await phone.say(ben, 'second')
  await lab.settle()
  await phone.messenger.commands.deleteMessage(first)
  await phone.say(ben, 'third')
  await lab.settle()
  await lab.expectConverged()
  expect(await readTexts(tablet, ann)).toEqual(['', 'second', 'third'])
})

test('P1: while the server answers 503, people write on and are told; then all of it leaves', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  phone.network.answer(503)
  await phone.say(ben, 'one')
  const { connection } = phone.messenger
  await untilLive(
    connection,
    ({ state, pendingCount }) => state === 'trouble' && pendingCount === 1,
  )
  expect(connection.getSnapshot().words).toContain('send when it works')
  await phone.say(ben, 'two')
  phone.network.calm()
  await lab.settle()
  await untilLive(connection, ({ state, pendingCount }) => state === 'live' && pendingCount === 0)
  expect(await readTexts(tablet, ann)).toEqual(['one', 'two'])
})

test('P1 P2: a server that dies in the middle of twenty sends loses nothing and doubles nothing', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const died = lab.server.killAfter('own')
  for (const text of twenty) await phone.say(ben, text)
  await died
  await lab.server.start()
  await lab.settle()
  await lab.expectConverged()
  expect(await readTexts(tablet, ann)).toEqual(twenty)
})

test('P3: after a death between the two copies the retry of the author completes the message', async () => {
  const { lab, ann, ben } = await openTestLab({ isAtomic: false })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const died = lab.server.killAfter('peer')
  const id = await phone.say(ben, 'half written')
  await died
  expect((await phone.read(ben)).map(({ status }) => status)).toEqual(['sending'])
  await lab.server.start()
  await lab.settle()
  await lab.expectConverged()
  expect((await tablet.read(ann)).map(({ _id }) => _id)).toEqual([id])
})

test('P3: after a death between the two copies the server completes it for an author who never returns', async () => {
  const { lab, ann, ben } = await openTestLab({ isAtomic: false })
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const died = lab.server.killAfter('peer')
  const id = await phone.say(ben, 'half written')
  await died
  await phone.close()
  await lab.server.start()
  await waitUntil('the author has a copy', async () => (await ann.server.messages()).has(id))
  await lab.settle()
  expect((await tablet.read(ann)).map(({ _id }) => _id)).toEqual([id])
})

test('P1: whatever comes while a device starts without a network is there when it has one', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  tablet.network.goDark()
  await tablet.reload()
  await phone.say(ben, 'in the dark')
  tablet.network.answer(503, 2)
  tablet.network.goOnline()
  await phone.say(ben, 'at dawn')
  await lab.settle()
  await phone.say(ben, 'by day')
  await lab.settle()
  await lab.expectConverged()
  expect(await readTexts(tablet, ann)).toEqual(['in the dark', 'at dawn', 'by day'])
})

test('P7: messages arrive without the socket, and nothing that must survive needs it', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  tablet.network.blockSockets()
  await phone.say(ben, 'hello')
  await lab.settle()
  await tablet.messenger.commands.markRead(ann.userId)
  await lab.settle()
  await lab.expectConverged()
  expect((await phone.read(ben)).map(({ status }) => status)).toEqual(['read'])
})

test('P7: what the socket tells of is asked for when the waiting poll hangs on a dead connection', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  const { stats } = lab.server
  await expect.poll(stats).toMatchObject({ sockets: 2, followed: 4 })
  tablet.network.speakFirstVersion()
  // Connected again: how long it was not may be too short to be seen.
  await expect.poll(stats).toMatchObject({ sockets: 2, followed: 2 })
  tablet.network.hangPolls()
  await phone.say(ben, 'ends the poll that was waiting')
  await waitUntil('it arrives', async () => (await readTexts(tablet, ann)).length === 1)
  await phone.say(ben, 'past the dead poll')
  await waitUntil('it arrives', async () => (await readTexts(tablet, ann)).length === 2)
})

test('P7: frames that are lost, doubled, overtaken or cut short lose nothing', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, laptop, tablet] = [await ann.device(), await ann.device(), await ben.device()]
  await lab.settle()
  for (const { network } of [phone, laptop, tablet]) network.spoilFrames()
  for (const text of twenty) {
    const id = await phone.say(ben, text)
    if (text.endsWith('0')) await laptop.edit(id, `${text}, edited`).catch(() => undefined)
    await tablet.say(ann, `answer to ${text}`)
  }
  await lab.settle()
  await lab.expectConverged()
  // Pushes were among them.
  expect(phone.network.listRequests()).toContain('PUSH /sync/messages/_bulk_docs')
})

test('P1: what a catch-up brings of a message whose sending is still under way is not dropped', async () => {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  await lab.settle()
  phone.network.goOffline()
  const id = await phone.say(ben, 'on its way')
  await phone.reload()
  const [letAnswer, letCatchUp] = [phone.network.holdResponses(), phone.network.holdPulls()]
  phone.network.goOnline()
  await waitUntil('the server has it', async () => (await ann.server.messages()).has(id))
  const before = phone.network.countPulls()
  letCatchUp()
  await waitUntil('the catch-ups are answered', () => phone.network.countPulls() >= before + 2)
  letAnswer()
  await lab.settle()
  expect((await phone.read(ben)).map(({ status }) => status)).toEqual(['sent'])
})

test('P5: an answer that is overtaken by a later one takes nothing back', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, laptop] = [await ann.device(), await ann.device()]
  const id = await phone.say(ben, 'hello')
  await lab.settle()
  phone.network.speakFirstVersion()
  const letPollsAnswer = phone.network.holdPolls()
  const before = phone.network.countPolls()
  const textAtServer = async () => (await ann.server.messages()).get(id)?.content
  await laptop.edit(id, 'first')
  await waitUntil('a poll knows of the first edit', () => phone.network.countPolls() > before)
  await laptop.edit(id, 'second')
  await waitUntil('the server has the second', async () => (await textAtServer()) === 'second')
  phone.tabs[0]?.page.setVisible(true)
  const textHere = async () => (await phone.read(ben))[0]?.content
  await waitUntil('a catch-up brings it', async () => (await textHere()) === 'second')
  letPollsAnswer()
  await lab.settle()
  expect(await textHere()).toBe('second')
  await lab.expectConverged()
})

test('P11: what came before its conversation, on a device that closed between the two, is told all the same', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  await tablet.close()
  const id = await phone.say(ben, 'hello')
  await waitUntil('it is at the server', async () => (await ben.server.messages()).has(id))
  const { _rev, ...copy } = { _rev: '', ...must((await ben.server.messages()).get(id), 'a copy') }
  await tablet.plant([copy])
  await tablet.openTab()
  await lab.settle()
  await lab.expectConverged()
  const { deliveredUpTo } = must((await ben.server.conversations()).get(ann.userId), 'a mark')
  expect(deliveredUpTo).toBe(copy.orderedAt)
})
