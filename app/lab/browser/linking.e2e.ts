import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { findProblems } from './find-problems.ts'
import { createPerson } from './person.ts'
import { startTwoPeople } from './start-two-people.ts'

// Ann has a laptop and a phone; Ben and a guest meet her by her invite.
const people = await startTwoPeople()
const { ann, ben, server } = people
const laptop = await createPerson(server, 'ann')
const guest = await createPerson(server, 'guest')
afterAll(async () => {
  await Promise.all([laptop.close(), guest.close()])
  await people.close()
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const see = (page: Page, words: string | RegExp) =>
  page.getByText(words).filter({ visible: true }).first().waitFor()

/** The place in the app that the shown code opens. */
async function readCode(page: Page, show: () => Promise<unknown>): Promise<string> {
  const answer = page.waitForResponse((response) => response.url().endsWith('/auth/device-links'))
  await show()
  const { id } = (await (await answer).json()) as { id: string }
  await page.getByRole('img', { name: 'QR code that signs you in on this device' }).waitFor()
  return `/link#${id}`
}

/** Opens a place as a phone's camera does: in a tab of its own. */
const scan = (code: string) => ann.openTab(code)

test('a laptop is signed in by its code and without a password, for as long as it was chosen', async () => {
  const { page } = laptop
  const code = await readCode(page, () => page.goto('/login'))
  await page.getByLabel('Stay logged in on this browser').uncheck()
  const phone = await scan(code)
  await phone.getByRole('heading', { name: /^Sign in on Chrome on / }).waitFor()
  await see(phone, 'Same as this device')
  await see(page, 'Scanned by ann')
  expect(await findProblems(phone)).toEqual([])
  expect(await findProblems(page)).toEqual([])
  await button(phone, 'Link device').click()
  await page.waitForURL('**/chat')
  await see(phone, /^Chrome on \w+ is signed in\.$/)
  const kept = await page.evaluate(() => [
    localStorage.getItem('token'),
    typeof sessionStorage.getItem('token'),
  ])
  expect(kept).toEqual([null, 'string'])
  await button(phone, 'Done').click()
  // "On this device" stands further down, with what is encrypted.
  await expect.poll(() => phone.getByText(/^This device/).count()).toBe(1)
  await expect.poll(() => button(phone, 'Log out').count()).toBe(1)

  // The same code once more: it was used.
  await phone.goto('/chat')
  await phone.goto(code)
  await see(phone, 'This code was used already.')
  await button(phone, 'Scan another code').click()
  await phone.getByLabel('Link from the other device').fill('https://example.org/elsewhere')
  await button(phone, 'Continue').click()
  await see(phone, 'This isn’t a sign-in code.')
  await phone.close()
})

test('both sides see what became of a code that is declined, withdrawn or stale', async () => {
  const { page } = guest
  const declined = await readCode(page, () => page.goto('/login'))
  const phone = await scan(declined)
  await button(phone, 'Decline').click()
  await see(phone, 'The device was not signed in.')
  await see(page, 'The sign-in was declined on your phone.')

  const withdrawn = await readCode(page, () => button(page, 'Show a new code').click())
  expect(withdrawn).not.toBe(declined)
  await button(phone, 'Done').click()
  await button(phone, 'Link device').click()
  expect(await findProblems(phone)).toEqual([])
  await phone.getByLabel('Link from the other device').fill(`https://petrel.example${withdrawn}`)
  await button(phone, 'Continue').click()
  await see(page, 'Scanned by ann')
  await button(page, 'Cancel').click()
  await see(phone, 'The sign-in was cancelled on the other device.')
  await see(page, 'You cancelled the sign-in.')

  await phone.goto('/chat')
  await phone.goto(`/link#${'A'.repeat(22)}`)
  await see(phone, "This code isn't valid any more. Show a new one on the other device.")
  await phone.close()
})

test('an invite leads to its chat over a registration, and a new chat begins by an email address', async () => {
  const { page } = ann
  await page.goto('/profile')
  await button(page, 'Invite to chat').click()
  const address = await page.getByRole('dialog').getByText('/chat/new?to=').textContent()
  const invite = new URL(address ?? '').pathname + new URL(address ?? '').search

  const visitor = guest.page
  await visitor.goto(invite)
  await visitor.getByRole('link', { name: 'Get started' }).click()
  await visitor.getByLabel('Username').fill(guest.username)
  await visitor.getByLabel('Email Address').fill(guest.email)
  await visitor.getByLabel('Password', { exact: true }).fill(guest.password)
  await visitor.getByLabel('Confirm Password', { exact: true }).fill(guest.password)
  await button(visitor, 'Create account').click()
  await visitor.getByRole('heading', { name: 'ann', level: 2 }).waitFor()

  await page.goto(invite)
  await see(page, 'This is your own invite link.')
  await page.goto('/chat/new?to=nobody')
  await see(page, 'Nobody has this invite link.')
  await page.goto('/chat/new?to=BEN')
  await page.getByRole('heading', { name: 'ben', level: 2 }).waitFor()

  await button(page, 'New chat').first().click()
  const dialog = page.getByRole('dialog', { name: 'New chat' })
  await dialog.getByRole('searchbox').fill(guest.email)
  await dialog.getByRole('link', { name: /guest/ }).waitFor()
  expect(await findProblems(page)).toEqual([])
  await ann.goOffline()
  await see(page, 'You’re offline. These are the people this device knows')
  await dialog.getByRole('searchbox').fill('be')
  await dialog.getByRole('link', { name: /ben/ }).click()
  await page.getByRole('heading', { name: 'ben', level: 2 }).waitFor()
  await ann.goOnline()
  expect([...ann.problems, ...ben.problems, ...laptop.problems, ...guest.problems]).toEqual([])
})
