import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { message, openChat } from './chat-steps.ts'
import { attach, drawPhoto, sendDialog } from './file-steps.ts'
import { findProblems } from './find-problems.ts'
import { chooseOn } from './message-steps.ts'
import { chooseSetting, untilSettingStored } from './settings-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
const { ann, ben } = people
const { page } = ben
const names = ['one', 'two', 'three', 'four', 'five'] as const
afterAll(() => people.close())

beforeAll(async () => {
  await page.addInitScript(() => {
    const quota = () => Number(localStorage.getItem('free-bytes') ?? 1e9)
    navigator.storage.estimate = async () => ({ usage: 0, quota: quota() })
  })
  await page.reload()
  await openChat(page, 'ann')
  await openChat(ann.page, 'ben')
})

const opens = (name: string) => page.getByRole('button', { name: `Open picture ${name}.jpg` })
const asks = (name: string) =>
  message(page, name).getByRole('button', { name: new RegExp(`^Download, .*picture ${name}.jpg`) })

async function sendPhoto(from: Page, name: string) {
  await attach(from, 'Photos & Videos', [await drawPhoto(from, { name: `${name}.jpg` })])
  await sendDialog(from).getByRole('textbox').fill(name)
  await sendDialog(from).getByRole('button', { name: 'Send' }).click()
}

/** The chat's file usage in 'Storage and Data', such as '55.0 kB · 5 files'. */
async function readUsage(): Promise<string> {
  await page.getByRole('button', { name: 'Back to settings' }).click()
  await page.getByRole('link', { name: 'Storage and Data' }).click()
  const media = page.getByRole('region', { name: 'Chats on this device' })
  return (await media.getByText(/· \d+ files?$/).textContent()) ?? ''
}

test('on a device with little room the newest pictures and the starred one stay, and the oldest leave', async () => {
  for (const name of names) {
    await sendPhoto(ann.page, name)
    await opens(name).waitFor()
    if (name !== 'one') continue
    await chooseOn(page, name, 'Star')
    await message(page, name).getByRole('img', { name: 'Starred' }).waitFor()
  }
  await page.goto('/settings/storage')
  await chooseSetting(page, 'Download pictures and voice messages', 'Never')
  await untilSettingStored(page, 'loadPictures', 'never')
  let usage = ''
  await expect
    .poll(async () => {
      usage = await readUsage()
      return usage
    })
    .toMatch(/ kB · 5 files$/)
  const [, kilobytes] = /^([\d.]+) kB/.exec(usage) ?? []
  // Room for three: a quarter of the used and the free space together.
  const free = String(9.5 * 1_000 * (Number(kilobytes) / names.length))
  await page.evaluate((bytes) => localStorage.setItem('free-bytes', bytes), free)
  await page.reload()
  await expect.poll(readUsage).toMatch(/· 3 files$/)
})

test('what has left keeps its blur, says offline what to do, and comes back once there is a network', async () => {
  // Tall enough to draw all of them.
  await page.setViewportSize({ width: 1280, height: 2_400 })
  await page.goto('/chat')
  await openChat(page, 'ann')
  await ben.goOffline()
  await asks('two').waitFor()
  for (const name of ['one', 'four', 'five']) await opens(name).waitFor()
  for (const name of ['two', 'three']) {
    await expect.poll(() => asks(name).locator('img[src^="data:image/"]').count()).toBe(1)
  }
  await asks('two').click()
  const words = "No connection. This will load when you're back online."
  await message(page, 'two').getByText(words).waitFor()
  expect(await findProblems(page)).toEqual([])
  await ben.goOnline()
  await opens('two').waitFor()
  await asks('three').click()
  await opens('three').waitFor()
  expect(ben.problems).toEqual([])
})
