import { expect, test } from 'vitest'
import { waitUntil } from '../lab/browser/wait-until.ts'
import { openTestLab } from '../lab/open-test-lab.ts'

async function start() {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await tablet.say(ann, 'before')
  await lab.settle()
  const { commands, settings } = phone.messenger
  await commands.setArchived(ben.userId, true)
  await lab.settle()
  const isArchived = () => phone.messenger.conversations.getSnapshot().some((row) => row.isArchived)
  await waitUntil('it is archived', isArchived)
  return { lab, ann, ben, phone, tablet, settings, isArchived }
}

test('an archived chat stays archived when a message arrives', async () => {
  const { lab, ann, tablet, isArchived } = await start()
  await tablet.say(ann, 'hello')
  await lab.settle()
  expect(isArchived()).toBe(true)
})

test('with the setting off, only a message that arrives after it was archived brings it back', async () => {
  const { lab, ann, ben, phone, tablet, settings, isArchived } = await start()
  await settings.set({ keepsArchived: false })
  await phone.say(ben, 'an own message does not')
  await lab.settle()
  expect(isArchived()).toBe(true)
  await tablet.say(ann, 'hello')
  await waitUntil('it is back', () => !isArchived())
})
