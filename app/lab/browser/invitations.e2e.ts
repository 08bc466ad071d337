import { Secret, TOTP } from 'otpauth'
import { afterAll, expect, test } from 'vitest'
import { askServer } from '../../../sync-server/admin/admin-door.ts'
import { openTestMailServer } from '../../../sync-server/admin/testing/open-test-mail-server.ts'
import { openSignInForm, signIn } from './account-steps.ts'
import { findProblems } from './find-problems.ts'
import { createLook } from './looks/look.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

const mail = await openTestMailServer()
const server = await startBuiltServer({
  env: (origin) => ({
    REGISTRATION: 'invite',
    INVITES_BY: 'everybody',
    SMTP_URL: mail.url,
    MAIL_FROM: 'petrel@example.org',
    PUBLIC_URL: origin,
  }),
})
const ann = await createPerson(server, 'ann')
const ben = await createPerson(server, 'ben')
const { page } = ann

afterAll(async () => {
  await Promise.all([ann.close(), ben.close()])
  await server.close()
  await mail.close()
})

/** The path of a link that an operator was given. */
async function askForLink(action: string, input: Record<string, unknown>): Promise<string> {
  const { link } = await askServer(server.dataDir, { action, input })
  const { pathname, hash } = new URL(String(link))
  return pathname + hash
}

async function fillIn(fields: Record<string, string>) {
  for (const [label, words] of Object.entries(fields)) {
    await page.getByLabel(label, { exact: true }).fill(words)
  }
}

const own = {
  Username: 'Ann',
  'Email Address': 'ann@example.org',
  Password: 'a secret',
  'Confirm Password': 'a secret',
}

test('who has no invitation is told so before they fill in anything, and a wrong code is refused in words', async () => {
  await page.goto('/register')
  await page.getByText('Creating an account here needs an invitation.').waitFor()
  expect(await findProblems(page)).toEqual([])
  await fillIn({ 'Invitation code': 'a guess', ...own })
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('alert').getByText("This invitation isn't valid any more.").waitFor()
})

test('the link of an invitation needs no code, and a link sets a forgotten password once', async () => {
  await page.goto(await askForLink('invites create', {}))
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  expect(await page.getByLabel('Invitation code').count()).toBe(0)
  await fillIn(own)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/chat')

  const reset = await askForLink('reset-password', { name: 'ann' })
  const other = ben.page
  const change = async () => {
    await other.goto('/login')
    await other.goto(reset)
    await other.getByLabel('New password', { exact: true }).fill('another secret')
    await other.getByLabel('Confirm password', { exact: true }).fill('another secret')
    await other.getByRole('button', { name: 'Change password' }).click()
  }
  await change()
  await other.getByText('Sign in as Ann with your new password.').waitFor()
  expect(await findProblems(other)).toEqual([])
  // Her device is signed out at once.
  await page.waitForURL('**/login')
  await change()
  await other.getByRole('alert').getByText("This link isn't valid any more").waitFor()
  await signIn({ ...ann, username: 'ann', password: 'another secret' })
  await page.waitForURL('**/chat')
})

test('somebody who is here invites somebody new: one link leads to an account and to their chat', async () => {
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'New chat' }).first().click()
  await dialog.getByRole('button', { name: /Invite/ }).click()
  await dialog.getByText('Somebody new needs an invitation, too.').waitFor()
  await dialog.getByRole('button', { name: 'Add an invitation' }).click()
  await dialog.getByText('One person can create an account with this link').waitFor()
  expect(await findProblems(page)).toEqual([])
  const link = new URL((await dialog.getByText('#invitation=').textContent()) ?? '')
  await page.keyboard.press('Escape')

  const fay = await createPerson(server, 'fay')
  await fay.page.goto(link.pathname + link.search + link.hash)
  await openSignInForm(fay.page)
  await fay.page.getByRole('link', { name: 'Create account' }).click()
  await fay.page.getByRole('heading', { name: 'Create your account' }).waitFor()
  expect(await fay.page.getByLabel('Invitation code').count()).toBe(0)
  for (const [label, words] of Object.entries({
    ...own,
    Username: 'Fay',
    'Email Address': 'f@example.org',
  })) {
    await fay.page.getByLabel(label, { exact: true }).fill(words)
  }
  await fay.page.getByRole('button', { name: 'Create account' }).click()
  await fay.page.locator('header').getByRole('heading', { level: 2, name: 'Ann' }).waitFor()
  await fay.close()
})

test('who forgot the password asks for a link by mail, from the sign-in', async () => {
  const { page: other } = ben
  await other.goto('/login')
  await openSignInForm(other)
  await other.getByRole('button', { name: 'Forgot password?' }).click()
  await other.getByLabel('Email Address').fill('ann')
  await other.getByRole('button', { name: 'Send link' }).click()
  await other.getByRole('alert').getByText('Enter your email address').waitFor()
  await other.getByLabel('Email Address').fill('ann@example.org')
  expect(await findProblems(other)).toEqual([])
  await other.getByRole('button', { name: 'Send link' }).click()
  await other.getByText('If an account has this address').waitFor()
  const isLink = ({ text }: { text: string }) => text.includes('/reset#')
  await expect.poll(() => mail.mails.some(isLink)).toBe(true)
  const [link] = /\/reset#[\w-]{32}/.exec(mail.mails.find(isLink)?.text ?? '') ?? []
  await other.goto(String(link))
  await other.getByRole('heading', { name: 'Choose a new password' }).waitFor()
})

test('an admin administers in the app: a second factor, people, reports, invitations, health, audit; others find nothing', async () => {
  const look = await createLook(page)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const see = (words: string | RegExp) => page.getByText(words).first().waitFor()
  const call = async (path: string, body: unknown, token?: string) => {
    const headers = {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return await (await fetch(`${server.origin}/api${path}`, init)).json()
  }
  const { code: invitation } = await askServer(server.dataDir, {
    action: 'invites create',
    input: { uses: 2 },
  })
  const registered = ['Carl', 'Dora'].map((username) =>
    call('/auth/register', {
      username,
      email: `${username}@example.org`,
      password: 'a secret',
      invitation,
    }),
  )
  const [carl, dora] = await Promise.all(registered)
  const messages = [
    { isTheirs: true, text: 'Cheap watches!', writtenAt: new Date().toISOString() },
    { isTheirs: false, text: 'No, thank you.', writtenAt: new Date().toISOString() },
  ]
  const report = { reason: 'He sells watches', messages }
  await call(`/users/${carl.user._id}/report`, report, dora.token)

  await page.goto('/admin')
  await see('Page not found')
  await page.goto('/settings')
  expect(await link('Administration').count()).toBe(0)
  await askServer(server.dataDir, { action: 'grant', input: { name: 'ann' } })
  await page.reload()
  await page.getByRole('link', { name: 'Administration' }).click()

  await see('Add a second factor')
  await button('Set it up').click()
  const secret = await page.locator('code').textContent()
  await look('the second factor')
  const totp = new TOTP({ secret: Secret.fromBase32((secret ?? '').replaceAll(' ', '')) })
  await page.getByLabel('Code with six digits').fill('12')
  await button('Continue').click()
  await page.getByRole('alert').getByText('A code has six digits').waitFor()
  await page.getByLabel('Code with six digits').fill(totp.generate())
  await button('Continue').click()

  await page.getByRole('button', { name: 'Carl' }).waitFor()
  await look('the people')
  await page.getByRole('searchbox', { name: 'Search people' }).fill('dora@')
  await page.getByRole('button', { name: 'Carl' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Dora' }).click()
  await dialog.getByText('dora@example.org').waitFor()
  await look('a person')
  await dialog.getByRole('button', { name: 'Set quota' }).click()
  await dialog.getByLabel('Megabytes').fill('7')
  await dialog.getByLabel('Reason').fill('she asked')
  await dialog.getByRole('button', { name: 'Set quota' }).click()
  await see('Dora may store 7 MB.')
  await dialog.getByText('0 of 7 MB').waitFor()
  await dialog.getByRole('button', { name: 'Reset password' }).click()
  await dialog.getByRole('button', { name: 'Reset password' }).click()
  await dialog.getByText('/reset#').waitFor()
  await page.keyboard.press('Escape')
  await dialog.getByText('/reset#').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await link('Reports').click()
  await see('He sells watches')
  await see(/^Carl Cheap watches!/)
  await look('the reports')
  await button('Disable').click()
  await dialog.getByRole('button', { name: 'Disable' }).click()
  await see('Carl is disabled: 1 sign-in ended. The reporter is told.')
  await see('No open reports.')

  await link('Invitations').click()
  await button('New invitation').click()
  await dialog.getByLabel('For how many people').fill('0')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('For how many people').fill('3')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('/register#invitation=').waitFor()
  await page.keyboard.press('Escape')
  await see('For 3 people')
  await look('the invitations')

  await link('Health').click()
  await see('There is no backup yet')
  await look('the health')
  await button('Write to everybody').click()
  await dialog.getByLabel('Message').fill('The server rests tonight.')
  await dialog.getByRole('button', { name: 'Send to everybody' }).click()
  await see('Sent to 4 people.')

  await link('Audit').click()
  await see('people quota · Dora')
  await see(/she asked/)
  await look('the audit')
  await askServer(server.dataDir, { action: 'revoke', input: { name: 'ann' } })
  await link('People').click()
  await page.getByRole('alert').first().waitFor()
})
