import { expect, test } from 'vitest'
import { openTestLab } from './open-test-lab.ts'

test('P1: whenever a device is killed after Enter, the words are a message or a draft, and arrive once', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.say(ben, 'the first')
  await lab.settle()
  for (let writes = 0; writes < 9; writes++) {
    await phone.killAfterEnter(ben, `killed after ${writes} writes`, writes)
  }
  // Else what the messages before it are still owed may use up the writes.
  await lab.settle()
  await phone.killAfterEnter(ben, 'killed after 9 writes', 9)
  await lab.settle()
  await lab.expectConverged()
  const words = (await tablet.read(ann)).map(({ content }) => content)
  expect(new Set(words).size).toBe(words.length)
  expect(words).toContain('killed after 9 writes')
})
