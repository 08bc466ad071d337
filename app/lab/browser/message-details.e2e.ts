import { afterAll, expect, test } from 'vitest'
import { formatClockTime, formatDate } from '../../ui/format/format-times.ts'
import { readSession } from './account-steps.ts'
import { openChat, readMessages, readTicks, say } from './chat-steps.ts'
import { chooseOn, ownWords } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
const { ann, ben, server } = people
const { page } = ann

afterAll(() => people.close())

test('a message tells when it was written, sent, delivered and read, as the server noted it', async () => {
  await openChat(page, 'ben')
  await say(page, 'the lamp is lit')
  await openChat(ben.page, 'ann')
  await ownWords(ben.page, 'the lamp is lit').waitFor()
  await expect.poll(() => readTicks(page, 'the lamp is lit'), { timeout: 30_000 }).toBe('Read')
  const [message] = await readMessages(page)
  const { token } = await readSession(ann)
  const answer = await fetch(`${server.origin}/api/messages/${message?.id}/status-history`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { history }: { history: { status: string; timestamp: string }[] } = await answer.json()
  const timeOf = (status: string) => {
    const time = Date.parse(history.find((step) => step.status === status)?.timestamp ?? '')
    return `${formatDate(time)} ${formatClockTime(time)}`
  }
  await chooseOn(page, 'the lamp is lit', 'Info')
  const info = page.getByRole('dialog', { name: 'Message info' })
  const steps = info.locator('dl > div')
  await expect
    .poll(async () => (await steps.allTextContents()).map((words) => words.trim()))
    .toEqual([
      expect.stringMatching(/^Written\d\d\/\d\d\/\d{4} \d\d:\d\d$/),
      `Sent${timeOf('sent')}`,
      `Delivered${timeOf('delivered')}`,
      `Read${timeOf('read')}`,
    ])
  await page.keyboard.press('Escape')
})

test('the header has the number and the WhatsApp badge of whoever has one, and buttons that all do something', async () => {
  const badge = page.getByRole('heading', { level: 2 }).getByText('WhatsApp', { exact: true })
  expect(await badge.count()).toBe(0)
  const { token } = await readSession(ben)
  const changed = await fetch(`${server.origin}/api/users/profile`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ phone_number: '491701234567' }),
  })
  expect(changed.status).toBe(200)
  await page.reload()
  await badge.waitFor()
  await page.getByText('online · +491701234567', { exact: true }).waitFor()
  const tools = page.locator('main header')
  await tools.getByRole('button', { name: 'Go to date' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await tools.getByRole('button', { name: 'Media, files and links' }).click()
  await page.waitForURL('**/media')
  await page.goBack()
  expect(await page.locator('header [aria-disabled]').count()).toBe(0)
})
