import { afterAll, expect, test } from 'vitest'
import { limits } from '../../../schema/limits.ts'
import {
  chatRow,
  composer,
  countFrames,
  openChat,
  readPresence,
  readTicks,
  readWords,
  say,
  typeUntilSeen,
} from './chat-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

/** The network's return goes unreported: retries are at most half a minute apart. */
const whenTriedAgain = { timeout: 45_000 }
const people = await startTwoPeople({ reducedMotion: 'no-preference' })
afterAll(() => people.close())

test('two people who have just registered find each other and chat live', async () => {
  const { ann, ben } = people
  await openChat(ann.page, 'ben')
  await say(ann.page, 'hello Ben')
  await chatRow(ben.page, 'ann').click()
  await expect.poll(() => readWords(ben.page)).toEqual(['hello Ben'])
  await say(ben.page, 'hello Ann')
  await expect.poll(() => readWords(ann.page)).toEqual(['hello Ben', 'hello Ann'])
})

test('each sees that the other is online and typing', async () => {
  const { ann, ben } = people
  await expect.poll(() => readPresence(ann.page)).toBe('online')
  await typeUntilSeen({ typist: ben.page, reader: ann.page })
  await composer(ben.page).fill('')
  await expect.poll(() => readPresence(ann.page)).toBe('online')
})

test('ticks go to read as soon as the other person looks', async () => {
  const { ann, ben } = people
  await expect.poll(() => readTicks(ann.page, 'hello Ben')).toBe('Read')
  const readHeard = countFrames(ben.page)
  await ben.page.goto('/chat')
  // Without its socket its marks would leave as requests, also in the next test.
  await expect.poll(readHeard).toBeGreaterThan(0)
  await say(ann.page, 'are you there?')
  await expect.poll(() => readTicks(ann.page, 'are you there?')).toBe('Delivered')
  await chatRow(ben.page, 'ann').getByRole('img', { name: '1 unread' }).waitFor()
  await chatRow(ben.page, 'ann').click()
  await expect.poll(() => readTicks(ann.page, 'are you there?')).toBe('Read')
  expect(ann.problems).toEqual([])
  expect(ben.problems).toEqual([])
})

test('a message and its marks leave over the socket, without a request', async () => {
  const pages = [people.ann.page, people.ben.page]
  const pushed: string[] = []
  const note = (request: { url(): string }) => {
    if (request.url().includes('_bulk_docs')) pushed.push(request.url())
  }
  for (const page of pages) {
    page.on('request', note)
    // A device waits 5 s and a little for an answer before it asks by a request: a busy machine would not keep to that.
    await page.evaluate(() => {
      const begin = globalThis.setTimeout
      const isPatience = (ms = 0) => ms >= 5_000 && ms < 6_000
      const beginOther = (run: () => void, ms?: number) => begin(run, isPatience(ms) ? 60_000 : ms)
      const beHasty = () => Object.assign(globalThis, { setTimeout: begin })
      Object.assign(globalThis, { setTimeout: beginOther, beHasty })
    })
  }
  await say(people.ann.page, 'over the socket')
  await expect.poll(() => readTicks(people.ann.page, 'over the socket')).toBe('Read')
  for (const page of pages) {
    page.off('request', note)
    await page.evaluate('void beHasty()')
  }
  expect(pushed).toEqual([])
})

test('offline nobody who was online a moment ago was last seen never', async () => {
  const { page } = people.ann
  await expect.poll(() => readPresence(page)).toBe('online')
  await people.ann.goOffline()
  await expect.poll(() => readPresence(page)).toBe('')
  await people.ann.goOnline()
  await expect.poll(() => readPresence(page), whenTriedAgain).toBe('online')
})

test('when the other person leaves, the header says when they were last seen', async () => {
  const { ann, ben } = people
  const whenGraceIsOver = { timeout: limits.presenceGraceMs + 20_000 }
  ben.network.cut()
  await expect.poll(() => readPresence(ann.page), whenGraceIsOver).toBe('last seen just now')
  ben.network.mend()
  await expect.poll(() => readPresence(ann.page), whenTriedAgain).toBe('online')
})
