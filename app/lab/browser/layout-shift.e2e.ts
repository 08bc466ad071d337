import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession } from './account-steps.ts'
import { chatRow } from './chat-steps.ts'
import { holdRequests } from './faults/stop-requests.ts'
import { keepConnectingUnsaid } from './looks/keep-connecting-unsaid.ts'
import { recordLayoutShifts } from './looks/record-layout-shifts.ts'
import { ownWords } from './message-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const count = 240
const people = await startAnnAlone()
const { ann, server } = people
const { page } = ann
const carl = await registerAccount(server.origin, 'carl')
const { take: takeShifts } = await recordLayoutShifts(page)
// On a narrow screen the line would stand above the messages.
await keepConnectingUnsaid(page)
const newest = ownWords(page, `message ${count} of`)

beforeAll(async () => {
  const recipientId = (await readSession(ann)).userId
  await pushMessages({ origin: server.origin, author: carl, recipientId, count })
  await chatRow(page, 'carl').getByText(`message ${count} of`).waitFor()
  await chatRow(page, 'carl').click()
  await chatRow(page, 'carl')
    .getByRole('img', { name: /unread/ })
    .waitFor({ state: 'detached' })
})

afterAll(() => people.close())

test.each([1280, 390])('at %i px nothing moves by itself while a chat opens', async (width) => {
  await page.setViewportSize({ width, height: 800 })
  await page.reload()
  await newest.waitFor()
  expect(await takeShifts()).toEqual([])
})

test('nothing moves by itself while older pages come in', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.reload()
  await newest.waitFor()
  await takeShifts()
  await page.mouse.move(900, 400)
  const shifts: unknown[] = []
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, -500)
        shifts.push(...(await takeShifts()))
        return ownWords(page, 'message 20 of').isVisible()
      },
      { timeout: 120_000 },
    )
    .toBe(true)
  expect(shifts).toEqual([])
})

test('nothing moves by itself in the list of signed-in devices while it is asked for', async () => {
  const devices = page.getByRole('region', { name: 'Signed-in devices' })
  const thisDevice = devices.getByRole('listitem').filter({ hasText: 'This device' })
  await page.goto('/settings/security')
  await thisDevice.waitFor()
  expect(await takeShifts()).toEqual([])

  const held = await holdRequests(page, '**/api/users/me/sessions')
  const answer = page.waitForResponse('**/api/users/me/sessions')
  await page.reload()
  // What is known from before stands there meanwhile.
  await thisDevice.waitFor()
  expect(await takeShifts()).toEqual([])
  await held.release()
  await answer
  expect(await takeShifts()).toEqual([])
})

test('what does move by itself is noticed', async () => {
  await page.goto('/chat')
  await chatRow(page, 'carl').click()
  await newest.waitFor()
  // What moves within half a second of a press is no movement by itself.
  await page.reload()
  await newest.waitFor()
  await takeShifts()
  await page.evaluate(() => {
    const block = document.createElement('div')
    block.style.height = '60px'
    document.querySelector('[role="log"]')?.before(block)
  })
  await expect.poll(takeShifts).not.toEqual([])
})
