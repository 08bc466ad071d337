import { expect, test } from 'vitest'
import { untilLive } from '../../lab/device/read-conversation.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

/** In bytes: 20 of them are more than a MiB and an eighth. */
const long = 'x'.repeat(60_000)

test('P6: a full storage holds up what is new, and neither read marks nor what makes room; all leaves with that room', async () => {
  const { lab, ann, ben } = await openTestLab()
  const cem = await lab.person('cem')
  const [phone, tablet] = [await ann.device(), await ben.device()]
  const filling: string[] = []
  for (let count = 0; count < 20; count += 1) filling.push(await phone.say(ben, long))
  await tablet.say(ann, 'incoming')
  await lab.settle()

  await lab.server.kill()
  await lab.server.start({ STORAGE_QUOTA_MB: '1' })
  for (const { network } of [phone, tablet]) network.hurry()
  const id = await phone.say(ben, 'one more')
  const { messenger } = phone
  await untilLive(messenger.connection, ({ words }) => /storage.*is full/.test(words ?? ''))
  await untilLive(messenger.outbox, ({ waiting }) => waiting === 1)
  const outbox = await messenger.openOutbox()
  await untilLive(outbox.page, (page) => page?.waiting.length === 1)
  expect(outbox.findRefusedWords(id)).toMatch(/^Not sent: your storage.*is full/)
  outbox.close()

  // With it the server refuses a new conversation, too.
  await phone.say(cem, 'the first')
  await messenger.commands.setPinned(cem.userId, true)
  await untilLive(messenger.outbox, ({ waiting }) => waiting === 2)
  await expect.poll(() => messenger.countUnsent()).toBe(3)
  await messenger.commands.markRead(ben.userId)
  await expect
    .poll(async () => (await tablet.read(ann)).find(({ content }) => content === 'incoming'))
    .toMatchObject({ status: 'read' })
  const regret = await phone.say(ben, 'a regret')
  await messenger.commands.discardMessage(regret)
  await untilLive(messenger.outbox, ({ waiting }) => waiting === 2)
  // Withdrawn on the server, too: what was offered ahead of it is refused again by now.
  await expect.poll(() => messenger.countUnsent()).toBe(3)
  for (const old of filling.slice(0, 6)) await phone.delete(old)
  // Nobody has to ask for it: there is room.
  await expect.poll(() => messenger.countUnsent()).toBe(0)
  await untilLive(messenger.connection, ({ words }) => words === undefined)
  await expect
    .poll(async () => (await tablet.read(ann)).map(({ content }) => content))
    .toContain('one more')
  expect((await tablet.read(ann)).map(({ content }) => content)).not.toContain('a regret')
  expect([...(await cem.server.messages()).values()]).toMatchObject([{ content: 'the first' }])
  expect((await ann.server.conversations()).size).toBe(2)
})
