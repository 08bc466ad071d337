import { afterAll, expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { composer, openChat, readWords, say } from './chat-steps.ts'
import { attach, sendDialog, writeText } from './file-steps.ts'
import { findProblems } from './find-problems.ts'
import { hasFocus } from './message-steps.ts'
import { createPerson } from './person.ts'
import { startAnnAlone } from './start-two-people.ts'

const phone = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } }
const people = await startAnnAlone(phone)
const { page } = people.ann
afterAll(() => people.close())

test('Enter on a touch keyboard begins a new line, and the button sends', async () => {
  await openChat(page, 'ben')
  await composer(page).pressSequentially('first line')
  await composer(page).press('Enter')
  await composer(page).pressSequentially('second line')
  await expect.poll(() => composer(page).inputValue()).toBe('first line\nsecond line')
  expect(await readWords(page)).toEqual([])
  await page.getByRole('button', { name: 'Send', exact: true }).tap()
  await expect.poll(() => readWords(page)).toEqual(['first line second line'])
})

test('what was tapped does not look as if a pointer stood on it', async () => {
  await say(page, 'the lamp is lit')
  await page.getByRole('button', { name: 'Back to chats' }).tap()
  const chip = page.getByRole('button', { name: 'Unread', exact: true })
  await chip.tap()
  await chip.tap()
  const all = page.getByRole('button', { name: 'All', exact: true })
  const background = (name: string) =>
    page
      .getByRole('button', { name, exact: true })
      .evaluate((button) => getComputedStyle(button).backgroundColor)
  await all.tap()
  await expect
    .poll(async () => (await background('Unread')) === (await background('Groups')))
    .toBe(true)
  const hovering = await page.evaluate(() => matchMedia('(hover: hover)').matches)
  expect(hovering).toBe(false)
})

test('the ways to attach come from below, at the thumb; a press beside them closes them', async () => {
  await openChat(page, 'ben')
  await page.getByRole('button', { name: 'Attach' }).tap()
  const sheet = page.getByRole('menu', { name: 'Attach' })
  await sheet.getByRole('menuitem', { name: 'Camera' }).tap({ trial: true })
  const box = must(await sheet.boundingBox(), 'the sheet')
  expect([box.x, box.width, Math.round(box.y + box.height)]).toEqual([0, 390, 844])
  const items = sheet.getByRole('menuitem')
  expect(await items.allTextContents()).toEqual(['Document', 'Photos & Videos', 'Camera'])
  const tops = await items.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
  expect(new Set(tops).size).toBe(1)
  expect(await findProblems(page)).toEqual([])
  await page.touchscreen.tap(195, 300)
  await sheet.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Back to chats' }).tap()
})

test('no keyboard covers the files that are about to be sent, and the focus stays among them', async () => {
  await openChat(page, 'ben')
  const files = ['map.txt', 'old.txt', 'new.txt'].map((name) => writeText(name, 'some words'))
  await attach(page, 'Document', files)
  const remove = (name: string) => sendDialog(page).getByRole('button', { name: `Remove ${name}` })
  await expect.poll(() => hasFocus(sendDialog(page))).toBe(true)
  await remove('old.txt').tap()
  await expect.poll(() => hasFocus(remove('new.txt'))).toBe(true)
  await remove('new.txt').tap()
  // The last one has no button of its own to remove it: it goes with Cancel.
  const add = sendDialog(page).getByRole('button', { name: 'Add files' })
  await expect.poll(() => hasFocus(add)).toBe(true)
  expect(await remove('map.txt').count()).toBe(0)
  await page.keyboard.press('Escape')
  await sendDialog(page).waitFor({ state: 'detached' })
})

test('on a phone the sign-in begins with the form, and the code is one tap away', async () => {
  const visitor = await createPerson(people.server, 'visitor', phone)
  await visitor.page.goto('/login')
  const field = visitor.page.getByLabel('Phone number or Username')
  await field.waitFor()
  const card = visitor.page.getByRole('complementary', { name: 'Install Petrel' })
  const [form, promo] = [await field.boundingBox(), await card.boundingBox()]
  expect(form?.y).toBeLessThan(promo?.y ?? 0)
  // Its keyboard would cover the page just opened.
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(false)
  // One way each to sign in and to register.
  expect(await visitor.page.getByRole('link', { name: 'Create account' }).count()).toBe(1)
  expect(await visitor.page.getByRole('link', { name: 'Get started' }).count()).toBe(0)
  await card.getByRole('button', { name: 'Install' }).tap()
  await card.getByText('Add to Home screen').waitFor()
  await visitor.page.getByRole('button', { name: 'Back to QR code' }).tap()
  await visitor.page.getByRole('img', { name: /^QR code/ }).waitFor()
  await visitor.page.getByRole('button', { name: 'Log in with phone number' }).tap()
  await expect
    .poll(() => field.evaluate((element) => element === document.activeElement))
    .toBe(true)
  await visitor.close()
})
