import { expect, test } from 'vitest'
import { openTestLab } from '../../lab/open-test-lab.ts'
import { removeMessages } from './use-deletion.ts'

test('returns the messages if the device cannot store the deletion', async () => {
  const { ann, ben } = await openTestLab()
  const phone = await ann.device()
  await phone.say(ben, 'one')
  await phone.say(ben, 'two')
  await phone.say(ben, 'three')
  const messages = await phone.read(ben)
  const { messenger } = phone
  expect(await removeMessages(messenger, messages.slice(0, 2))).toEqual([])
  expect((await phone.read(ben)).map(({ content }) => content)).toEqual(['three'])
  await phone.close()
  expect(await removeMessages(messenger, messages.slice(1))).toEqual(messages.slice(1))
})
