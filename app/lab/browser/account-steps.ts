import type { Page } from 'playwright-core'
import type { BrowserPerson } from './person.ts'

/**
 * Registers the person over the API, which takes half as long as the form; ends on the usable conversation list.
 * `sign-in.e2e.ts` uses the form.
 */
export async function registerPerson(person: BrowserPerson) {
  const { page, username, email, password } = person
  const data = { username, email, password }
  const answer = await page.request.post('/api/auth/register', { data })
  if (!answer.ok()) throw new Error(`${answer.status()} ${await answer.text()}`)
  const storing = await page.addInitScript(storeSignIn, await answer.json())
  await page.goto('/chat')
  await storing.dispose()
  await waitUntilLoaded(page)
  if (person.keepsApp) await waitUntilKept(person)
}

/** Runs in the page before its scripts: stores a sign-in where the app keeps it. */
function storeSignIn({ token, user }: { token: string; user: object }) {
  localStorage.setItem('token', token)
  localStorage.setItem('user', JSON.stringify(user))
}

/** Waits until a first visit's loading screen, which blocks everything beneath, is gone. */
async function waitUntilLoaded(page: Page) {
  await page.locator('input[type="search"]').waitFor({ state: 'attached' })
  await page.locator('[inert]').waitFor({ state: 'detached' })
}

/** Opens the form, where a phone starts. */
export async function openSignInForm(page: Page) {
  const field = page.getByLabel('Phone number or Username')
  const opener = page.getByRole('button', { name: 'Log in with phone number' })
  await field.or(opener).waitFor()
  if (await opener.isVisible()) await opener.click()
}

/** Signs in through the sign-in form, whatever the result. */
export async function signIn({ page, username, password }: BrowserPerson) {
  await openSignInForm(page)
  await page.getByLabel('Phone number or Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/chat**')
  await waitUntilLoaded(page)
}

/**
 * Checks that the sign-in survives a kill: a browser writes its local storage seconds later, or on
 * a clean exit.
 */
export async function keepSignIn(person: BrowserPerson) {
  await person.restartBrowser()
  await person.page.goto('/chat')
}

/** The device's stored sign-in. */
export async function readSession({
  page,
}: BrowserPerson): Promise<{ token: string; userId: string }> {
  return page.evaluate(() => ({
    token: localStorage.getItem('token') ?? '',
    userId: JSON.parse(localStorage.getItem('user') ?? '{}')._id,
  }))
}

/** Waits until the device has cached the whole app, so that the network may go. */
export async function waitUntilKept({ page }: BrowserPerson) {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
  })
}
