import { afterAll, expect, test } from 'vitest'
import { chatRow, openChat, readMessages, readTicks, readWords, say } from './chat-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

/** The server's return goes unreported: the browsers retry at most half a minute apart. */
const whenTriedAgain = { timeout: 60_000 }
// Tall enough that the list draws every message.
const people = await startTwoPeople({ viewport: { width: 1280, height: 2400 } })
afterAll(() => people.close())

test('P2 P3: a server killed in the middle of twenty sends loses nothing and doubles nothing', async () => {
  const { server, ann, ben } = people
  const words = Array.from({ length: 20 }, (_, index) => `message ${index + 1}`)
  await openChat(ann.page, 'ben')
  const killing = { done: Promise.resolve() }
  for (const [index, word] of words.entries()) {
    if (index === 10) {
      await expect.poll(() => readTicks(ann.page, 'message 1')).toBe('Delivered')
      killing.done = server.kill()
    }
    await say(ann.page, word)
  }
  await killing.done
  const ticks = await Promise.all(words.map((word) => readTicks(ann.page, word)))
  const waiting = ticks.filter((tick) => tick === 'Waiting to be sent')
  expect(waiting.length).toBeGreaterThan(0)
  expect(waiting.length).toBeLessThan(words.length)
  expect(ticks[0]).toBe('Delivered')
  expect(ticks.at(-1)).toBe('Waiting to be sent')
  await server.start()

  await chatRow(ben.page, 'ann').click()
  await expect.poll(() => readWords(ann.page)).toEqual(words)
  const written = await readMessages(ann.page)
  await expect
    .poll(() => readMessages(ben.page), whenTriedAgain)
    .toEqual(written.map((one) => ({ ...one, author: 'ann' })))
  for (const word of words) {
    await expect.poll(() => readTicks(ann.page, word), whenTriedAgain).toBe('Read')
  }
})
