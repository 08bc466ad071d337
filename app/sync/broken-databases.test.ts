import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Lab } from '../lab/create-lab.ts'
import { openTestLab } from '../lab/open-test-lab.ts'

/** Puts a file where a person's messages are, which the server cannot open. @returns puts them back */
async function breakMessages({ server }: Lab, userId: string) {
  const place = join(server.dataDir, 'databases', `messages-${userId}`)
  await server.kill()
  await rename(place, `${place}-aside`)
  await writeFile(place, 'broken')
  await server.start()
  return async () => {
    await server.kill()
    await rm(place)
    await rename(`${place}-aside`, place)
    await server.start()
  }
}

test('P3 P6: a deletion that cannot reach its reader holds up nothing else, and reaches them later', async () => {
  const { lab, ann, ben } = await openTestLab()
  const cyd = await lab.person('cyd')
  const [phone, tablet, laptop] = [await ann.device(), await ben.device(), await cyd.device()]
  const id = await phone.say(ben, 'taken back')
  await lab.settle()
  const mend = await breakMessages(lab, ben.userId)
  await phone.messenger.commands.deleteMessage(id)
  await phone.say(cyd, 'to Cyd')
  const readCyd = async () => (await laptop.read(ann)).map(({ content }) => content)
  await expect.poll(readCyd).toEqual(['to Cyd'])
  await expect.poll(() => phone.messenger.countUnsent()).toBe(0)
  expect((await ann.server.messages()).get(id)?.deletedAt).toBeDefined()
  expect((await tablet.stored()).messages.get(id)).toMatchObject({ content: 'taken back' })

  await mend()
  await expect
    .poll(async () => (await tablet.stored()).messages.get(id))
    .toMatchObject({ content: '', deletedAt: expect.any(Number) })
  await lab.settle()
  await lab.expectConverged()
})

test('P6: a receipt whose author cannot be reached holds up no other, and reaches them later', async () => {
  const { lab, ann, ben } = await openTestLab()
  const cyd = await lab.person('cyd')
  const [phone, tablet, laptop] = [await ann.device(), await ben.device(), await cyd.device()]
  const fromAnn = await phone.say(ben, 'from Ann')
  const fromCyd = await laptop.say(ben, 'from Cyd')
  await lab.settle()
  const mend = await breakMessages(lab, ann.userId)
  await tablet.messenger.commands.markRead(ann.userId)
  await tablet.messenger.commands.markRead(cyd.userId)
  const statusAtCyd = async () => (await laptop.stored()).messages.get(fromCyd)?.status
  await expect.poll(statusAtCyd).toBe('read')
  await expect.poll(() => tablet.messenger.countUnsent()).toBe(0)

  await mend()
  const statusAtAnn = async () => (await phone.stored()).messages.get(fromAnn)?.status
  await expect.poll(statusAtAnn).toBe('read')
  await lab.settle()
  await lab.expectConverged()
})
