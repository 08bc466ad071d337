import { afterAll, beforeAll, expect, test } from 'vitest'
import { composer, openChat, readTicks, readWords, say } from './chat-steps.ts'
import { damagePushes } from './faults/damage-pushes.ts'
import { findProblems } from './find-problems.ts'
import {
  answerDeletion,
  chooseOn,
  ownWords,
  pressBeside,
  selectionBar,
  showBeside,
} from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const within = { timeout: 30_000 }
const people = await startTwoPeople({
  pushesByRequests: true,
  permissions: ['clipboard-read', 'clipboard-write'],
})
const { page } = people.ann
const reasons = {
  forged: 'Only the other person can confirm that a message was delivered or read.',
  foreign: 'Not sent: another message has the same id. Send it as a new one.',
}

beforeAll(async () => {
  await openChat(page, 'ben')
  await openChat(people.ben.page, 'ann')
})

afterAll(() => people.close())

async function sayInVain(text: string) {
  await damagePushes(page, (document) => Object.assign(document, { status: 'read' }))
  await say(page, text)
  await ownWords(page, text).getByText(reasons.forged).waitFor()
  await damagePushes(page)
}

const button = (text: string, name: string) =>
  ownWords(page, text).getByRole('button', { name, exact: true })

test('P6: a message that was not sent says why, and leaves with Retry', async () => {
  await sayInVain('the tide is low')
  await expect.poll(() => readTicks(page, 'the tide is low')).toBe('Not sent')
  expect(await findProblems(page)).toEqual([])
  await button('the tide is low', 'Retry').click()
  await expect.poll(() => readTicks(page, 'the tide is low'), within).not.toBe('Not sent')
  await expect.poll(() => readWords(people.ben.page), within).toContain('the tide is low')
})

test('P6: it is edited and leaves with its new text', async () => {
  await sayInVain('the tide is hihg')
  await button('the tide is hihg', 'Edit').click()
  await page.getByText('Edit message', { exact: true }).waitFor()
  await expect.poll(() => composer(page).inputValue()).toBe('the tide is hihg')
  await composer(page).fill('the tide is high')
  await composer(page).press('Enter')
  await expect.poll(() => readWords(people.ben.page), within).toContain('the tide is high')
})

test('P6: it is copied, and discarded', async () => {
  await sayInVain('nobody reads this')
  await ownWords(page, 'nobody reads this').getByText('Copy', { exact: true }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()), within)
    .toBe('nobody reads this')
  await button('nobody reads this', 'Discard').click()
  await ownWords(page, 'nobody reads this').waitFor({ state: 'detached' })
  // It is gone from the screen before the device has noted that; the offer ends long after.
  await page.getByRole('region', { name: 'Undo' }).waitFor({ state: 'detached' })
  await page.reload()
  await ownWords(page, 'the tide is high').waitFor()
  expect(await readWords(page)).not.toContain('nobody reads this')
})

test('P6: a refused change comes back with its text, and can be made again', async () => {
  await say(page, 'come at noon')
  await expect.poll(() => readWords(people.ben.page), within).toContain('come at noon')
  await damagePushes(page, (document) =>
    Object.assign(document, { senderId: document.recipientId }),
  )
  await chooseOn(page, 'come at noon', 'Edit')
  await composer(page).fill('come at one')
  await composer(page).press('Enter')
  const notice = ownWords(page, 'come at noon')
  await notice.getByText(reasons.foreign).waitFor()
  await notice.getByText('come at one', { exact: true }).waitFor()
  await damagePushes(page)
  await notice.getByText('Copy', { exact: true }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()), within)
    .toBe('come at one')
  await notice.getByRole('button', { name: 'Edit again' }).click()
  await expect.poll(() => composer(page).inputValue(), within).toBe('come at one')
  await composer(page).press('Enter')
  await expect.poll(() => readWords(people.ben.page), within).toContain('come at one')
  await ownWords(page, 'come at one')
    .getByRole('button', { name: 'Dismiss' })
    .waitFor({ state: 'detached' })
})

test('beside a bubble stand Reply, Copy, Forward, and Delete on own messages', async () => {
  await say(people.ben.page, 'mind the gap')
  for (const name of ['Reply', 'Copy', 'Forward'])
    await showBeside(ownWords(page, 'mind the gap'), name)
  expect(await button('mind the gap', 'Delete').count()).toBe(0)
  await pressBeside(ownWords(page, 'mind the gap'), 'Copy')
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()), within)
    .toBe('mind the gap')
  await pressBeside(ownWords(page, 'mind the gap'), 'Reply')
  await page.getByText('Replying to ben', { exact: true }).waitFor()
  await say(page, 'I see it')
  await pressBeside(ownWords(page, 'I see it'), 'Forward')
  await page.getByRole('dialog', { name: 'Forward message to' }).waitFor()
  await page.keyboard.press('Escape')
  // Before it is sent, it would be withdrawn instead.
  await expect.poll(() => readTicks(page, 'I see it'), within).toBe('Read')
  await pressBeside(ownWords(page, 'I see it'), 'Delete')
  await answerDeletion(page)
  await ownWords(page, 'I see it').waitFor({ state: 'detached' })
  expect(await selectionBar(page).count()).toBe(0)
  await expect
    .poll(async () => (await readWords(people.ben.page)).at(-1), within)
    .toBe('This message was deleted')
})
