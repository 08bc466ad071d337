import { readFile } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { readSession } from './account-steps.ts'
import { openChat, say } from './chat-steps.ts'
import { findProblems } from './find-problems.ts'
import { hasFocus, ownWords } from './message-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const people = await startAnnAlone({ keepsApp: true })
const { ann, server } = people
const { page } = ann
afterAll(() => people.close())

const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = (name: string) => page.getByRole('dialog', { name })

/** A picture of one colour, as a file. */
async function drawPicture(width: number, height: number) {
  const url = await page.evaluate(
    ([width, height]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width, height })
      const context = canvas.getContext('2d')
      if (context) context.fillStyle = '#2a7'
      context?.fillRect(0, 0, width, height)
      return canvas.toDataURL('image/png')
    },
    [width, height] as const,
  )
  const buffer = Buffer.from(must(url.split(',')[1], 'the bytes'), 'base64')
  return { name: 'me.png', mimeType: 'image/png', buffer }
}

async function readOwn() {
  const { token } = await readSession(ann)
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${server.origin}/api/users/me`, { headers })
  return (await answer.json()) as { profilePicture: string | null; phone_number?: string }
}

test('the panel checks a picture in its words, and the phone number in the validator’s', async () => {
  await page.getByRole('link', { name: 'Profile', exact: true }).click()
  await page.getByText('Not connected').waitFor()
  const input = page.getByLabel('Profile picture')
  await input.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
  await page.getByRole('alert').getByText('Please select an image file').waitFor()
  await input.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('x') })
  await page.getByRole('alert').getByText("This picture can't be opened.").waitFor()
  await button('Edit profile').click()
  await page.getByText('3 of 50').waitFor()
  await page.getByRole('textbox', { name: 'Phone number' }).fill('12')
  await button('Save').click()
  await page.getByRole('alert').getByText('Invalid phone number format.').waitFor()
  await page.getByRole('textbox', { name: 'Phone number' }).fill('+1 (555) 010-0200')
  expect(await findProblems(page)).toEqual([])
  await button('Save').click()
  await page.getByRole('definition').filter({ hasText: '+15550100200' }).waitFor()
  expect((await readOwn()).phone_number).toBe('15550100200')
  await page.getByText('Not connected', { exact: true }).waitFor()
  await button('Edit profile').click()
  await page.getByRole('textbox', { name: 'Phone number' }).fill('')
  await button('Save').click()
  await page.getByRole('definition').filter({ hasText: 'Not set' }).waitFor()
  await expect.poll(() => hasFocus(button('Edit profile'))).toBe(true)
  await page.goBack()
  await page.getByRole('searchbox').waitFor()
})

test('P1: a picture that is chosen offline is shown at once and after a reload, and uploaded later', async () => {
  await page.goto('/profile')
  await button('Change picture').waitFor()
  const file = await drawPicture(1_200, 900)
  await ann.goOffline()
  await page.getByLabel('Profile picture').setInputFiles(file)
  const crop = dialog('Profile picture')
  const frame = crop.getByRole('application', { name: 'Picture' })
  await frame.press('+')
  await frame.press('ArrowLeft')
  expect(await findProblems(page)).toEqual([])
  await crop.getByRole('button', { name: 'Use picture' }).click()
  await crop.waitFor({ state: 'detached' })
  const shown = page.getByRole('main').locator('img[src^="blob:"]')
  const waits = page.getByText(
    "Your new picture is kept here and will be uploaded when you're back",
  )
  await shown.waitFor()
  await waits.waitFor()
  await page.reload()
  await shown.waitFor()
  await waits.waitFor()
  const readSize = () =>
    shown.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight])
  await expect.poll(readSize).toEqual([600, 600])
  expect((await readOwn()).profilePicture).toBeNull()
  await ann.goOnline()
  await waits.waitFor({ state: 'detached' })
  await expect.poll(async () => (await readOwn()).profilePicture).toMatch(/^\/api\/media\//)
  const headers = { authorization: `Bearer ${(await readSession(ann)).token}` }
  const stored = await fetch(`${server.origin}${(await readOwn()).profilePicture}`, { headers })
  expect(stored.headers.get('content-type')).toBe('image/jpeg')
})

test('email and password are changed with the password, which ends the other sign-ins', async () => {
  const signIn = async (username: string, password: string) =>
    await fetch(`${server.origin}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    })
  const { token } = (await (await signIn('ann', ann.password)).json()) as { token: string }
  await page.goto('/settings/account')
  await page.getByRole('button', { name: 'Change email' }).click()
  const change = dialog('Change email')
  await change.getByLabel('New email').fill('ann@ship.example')
  await change.getByLabel('Password', { exact: true }).fill('guess')
  await ann.goOffline()
  await change.getByRole('button', { name: 'Change email' }).click()
  await change.getByRole('alert').getByText("You're offline.").waitFor()
  await ann.goOnline()
  await expect
    .poll(async () => {
      await change.getByRole('button', { name: 'Change email' }).click()
      return await change.getByRole('alert').textContent()
    })
    .toBe('The current password is wrong.')
  expect(await hasFocus(change.getByRole('button', { name: 'Change email' }))).toBe(true)
  expect(await findProblems(page)).toEqual([])
  await change.getByLabel('Password', { exact: true }).fill(ann.password)
  await change.getByRole('button', { name: 'Change email' }).click()
  await dialog('Email changed').getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'ann@ship.example' }).first().waitFor()

  await page.getByRole('button', { name: 'Change password' }).click()
  const form = dialog('Change password')
  await form.getByLabel('Current password', { exact: true }).fill(ann.password)
  await form.getByLabel('New password', { exact: true }).fill('a new secret')
  await form.getByLabel('Repeat new password', { exact: true }).fill('another one')
  const submit = form.getByRole('button', { name: 'Change password' })
  await submit.click()
  await form.getByRole('alert').getByText('Passwords do not match').waitFor()
  await form.getByLabel('Repeat new password', { exact: true }).fill('a new secret')
  await submit.click()
  await dialog('Password changed').getByRole('button', { name: 'Done' }).click()
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${server.origin}/api/users/me`, { headers })).status).toBe(401)
  expect((await signIn('ann@ship.example', 'a new secret')).status).toBe(200)
  await page.reload()
  await page.getByRole('link', { name: 'ann@ship.example' }).first().waitFor()
})

test('an export is saved and imported again, and what is no export says so', async () => {
  await page.goto('/chat')
  await openChat(page, 'ben')
  await say(page, 'keep this')
  await page.goto('/settings/account')
  await page.getByRole('button', { name: 'Export your data' }).click()
  const saving = page.waitForEvent('download')
  await dialog('Export your data').getByRole('button', { name: 'Export' }).click()
  const download = await saving
  expect(download.suggestedFilename()).toMatch(/^petrel-ann-\d{4}-\d\d-\d\d\.zip$/)
  const saved = dialog('Your data is saved')
  await saved.getByText('1 message and 0 files').waitFor()
  expect(await findProblems(page)).toEqual([])
  await saved.getByRole('button', { name: 'Done' }).click()

  await ann.goOffline()
  await page.getByRole('button', { name: 'Import your data' }).click()
  const input = page.getByLabel('Petrel export')
  const words = { name: 'a.zip', mimeType: 'application/zip', buffer: Buffer.from('no zip') }
  await input.setInputFiles(words)
  await page.getByRole('alert').getByText("This isn't a Petrel export.").waitFor()
  await input.setInputFiles({ ...words, buffer: await readFile(await download.path()) })
  await dialog('Import finished').getByText('on this device already').waitFor()
  await dialog('Import finished').getByRole('button', { name: 'Done' }).click()
  await ann.goOnline()
  await page.goto('/chat')
  await openChat(page, 'ben')
  await ownWords(page, 'keep this').waitFor()
})

test('the account is deleted with the password only, beneath the question', async () => {
  const password = 'a new secret'
  await page.goto('/profile')
  await button('Delete Account').click()
  const question = dialog(
    'Are you sure you want to delete your account? This action cannot be undone.',
  )
  const field = question.getByLabel('Password', { exact: true })
  const confirm = question.getByRole('button', { name: 'Delete Account' })
  const problem = question.getByRole('alert')
  await confirm.click()
  await problem.getByText('Deleting your account needs your password.').waitFor()
  await field.fill('guess')
  await ann.goOffline()
  await confirm.click()
  await problem.getByText("You're offline.").waitFor()
  await ann.goOnline()
  await expect
    .poll(async () => {
      await confirm.click()
      return await problem.textContent()
    })
    .toBe('The current password is wrong.')
  expect(await field.inputValue()).toBe('guess')
  expect(await findProblems(page)).toEqual([])
  const { token } = await readSession(ann)
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${server.origin}/api/users/me`, { headers })).status).toBe(200)
  await field.fill(password)
  await confirm.click()
  await page.waitForURL('**/login')
  expect((await fetch(`${server.origin}/api/users/me`, { headers })).status).toBe(401)
})
