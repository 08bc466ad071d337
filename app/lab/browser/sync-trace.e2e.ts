import { readFile } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { parseDeviceTrace } from '../device-trace.ts'
import { readSession } from './account-steps.ts'
import { countFrames, openChat, say } from './chat-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const people = await startAnnAlone()
const { ann, ben } = people
afterAll(() => people.close())

test('a sync trace is saved from the help without a network, and has nothing that was written', async () => {
  const { page } = ann
  const { token, userId } = await readSession(ann)
  // On a busy machine the line may open late.
  const readHeard = countFrames(page)
  await page.reload()
  await expect.poll(readHeard).toBeGreaterThan(0)
  await openChat(page, 'ben')
  await say(page, 'albatross diomedea')
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: 'Help' })
    .click()
  const save = page.getByRole('button', { name: 'Save a sync trace' })
  await save.waitFor()
  // The browser dispatches the event in a task of its own, which a key that is pressed meanwhile may overtake; the app
  // listened before.
  await page.evaluate(() => {
    addEventListener('offline', () => Object.assign(globalThis, { isOfflineHeard: true }))
  })
  await ann.goOffline()
  await expect.poll(() => page.evaluate('globalThis.isOfflineHeard')).toBe(true)
  const [download] = await Promise.all([page.waitForEvent('download'), save.press('Enter')])
  expect(download.suggestedFilename()).toBe('petrel-sync-trace.json')
  const text = await readFile(await download.path(), 'utf8')
  const { events } = parseDeviceTrace(text)
  expect(events).toContainEqual(expect.objectContaining({ kind: 'page', what: 'offline' }))
  expect(events).toContainEqual(expect.objectContaining({ kind: 'line', what: 'open' }))
  expect(events.some((event) => event.kind === 'stored' && event.waiting.length > 0)).toBe(true)
  for (const hidden of ['albatross', 'diomedea', ben.username, token, userId, 'http']) {
    expect(text).not.toContain(hidden)
  }
})
