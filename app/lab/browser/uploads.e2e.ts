import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepSignIn, waitUntilKept } from './account-steps.ts'
import { message, openChat, readWords, say } from './chat-steps.ts'
import { attach, sendDialog } from './file-steps.ts'
import { findProblems } from './find-problems.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({
  keepsApp: true,
  hasOwnBrowser: true,
})
const { ann, ben } = people
const MiB = 1024 * 1024

beforeAll(async () => {
  await keepSignIn(ann)
  await openChat(ben.page, 'ann')
  await openChat(ann.page, 'ben')
  await say(ann.page, 'look at this')
  await message(ben.page, 'look at this').waitFor()
  await waitUntilKept(ann)
})
afterAll(() => people.close())

const ring = (page: Page) => page.getByRole('progressbar', { name: 'Upload' })
const readPercent = async (page: Page) => Number(await ring(page).getAttribute('aria-valuenow'))

async function sendDocument(words: string, bytes: number) {
  const buffer = Buffer.alloc(bytes, 'a map of the harbour\n')
  await attach(ann.page, 'Document', [{ name: 'map.txt', mimeType: 'text/plain', buffer }])
  await sendDialog(ann.page).getByRole('textbox').fill(words)
  await sendDialog(ann.page).getByRole('button', { name: 'Send' }).click()
}

test('P1: a ring tells in every tab how far an upload has come, which goes on there after a break and a reload', async () => {
  const second = await ann.openTab(new URL(ann.page.url()).pathname)
  await message(second, 'look at this').waitFor()
  ann.network.slow(80_000)
  await sendDocument('the map', 2 * MiB)
  for (const page of [ann.page, second]) {
    await expect.poll(() => readPercent(page)).toBeGreaterThanOrEqual(12)
  }
  // The rest would be uploaded before a busy machine has looked at it: now it takes a quarter of an hour.
  ann.network.slow(2_000)
  await message(second, 'the map').getByText('Uploading…').waitFor()
  expect(await findProblems(ann.page)).toEqual([])
  await second.close()
  const before = await readPercent(ann.page)
  await ann.goOffline()
  await message(ann.page, 'the map').getByText('Waiting to upload').waitFor()
  ann.network.slow(10_000)
  await ann.goOnline()
  await ann.page.reload()
  await ring(ann.page).and(ann.page.locator('[aria-valuenow]')).waitFor()
  expect(await readPercent(ann.page)).toBeGreaterThanOrEqual(before)
  ann.network.slow(10 * MiB)
  await message(ben.page, 'the map').waitFor()
  await ring(ann.page).waitFor({ state: 'detached' })
  expect(await readWords(ben.page)).toEqual(['look at this', 'the map'])
})

test('an upload that is under way can be cancelled', async () => {
  ann.network.slow(10_000)
  await sendDocument('the wrong map', 2 * MiB)
  await ring(ann.page).waitFor()
  await message(ann.page, 'the wrong map').getByRole('button', { name: 'Cancel' }).click()
  await message(ann.page, 'the wrong map').waitFor({ state: 'detached' })
  ann.network.slow(10 * MiB)
  await say(ann.page, 'never mind')
  await message(ben.page, 'never mind').waitFor()
  expect(await readWords(ben.page)).toEqual(['look at this', 'the map', 'never mind'])
})
