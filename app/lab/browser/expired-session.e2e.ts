import { afterAll, expect, test } from 'vitest'
import { readSession, signIn } from './account-steps.ts'
import { chatRow, openChat, readTicks, readWords, say } from './chat-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
afterAll(() => people.close())

test('P1: messages that wait when the sign-in ends leave after signing in again', async () => {
  const { server, ann, ben } = people
  await openChat(ann.page, 'ben')
  await say(ann.page, 'first')
  await expect.poll(() => readTicks(ann.page, 'first')).toBe('Delivered')
  await ann.goOffline()
  await say(ann.page, 'second')
  await say(ann.page, 'third')

  const { token, userId } = await readSession(ann)
  const ended = await fetch(`${server.origin}/api/auth/logout`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId }),
  })
  expect(ended.ok).toBe(true)

  await ann.goOnline()
  await ann.page.waitForURL('**/login')
  expect((await readSession(ann)).token).toBe('')
  await signIn(ann)
  await openChat(ann.page, 'ben')
  await expect.poll(() => readWords(ann.page)).toEqual(['first', 'second', 'third'])
  await chatRow(ben.page, 'ann').click()
  await expect.poll(() => readWords(ben.page)).toEqual(['first', 'second', 'third'])
  await expect.poll(() => readTicks(ann.page, 'third')).toBe('Read')
})
