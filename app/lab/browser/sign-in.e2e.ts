import type { Page } from 'playwright-core'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { registerAccount } from '../server/server-accounts.ts'
import { openSignInForm, readSession, signIn } from './account-steps.ts'
import { chatRow } from './chat-steps.ts'
import { failRequests, holdRequests } from './faults/stop-requests.ts'
import { hasFocus } from './message-steps.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

// The tests stop requests on their way; a service worker would make some in place of the page.
const server = await startBuiltServer({ env: { END_TO_END: 'on' } })
const ann = await createPerson(server, 'ann', {
  hasFirstLoad: true,
  colorScheme: 'light',
  reducedMotion: 'no-preference',
})
const { page } = ann
const { origin } = server

afterAll(async () => {
  await ann.close()
  await server.close()
})

const see = (words: string | RegExp) =>
  page.getByText(words).filter({ visible: true }).first().waitFor()
const field = (label: string) => page.getByLabel(label, { exact: true })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const encrypted = 'Your personal messages are end-to-end encrypted'
const red = 'rgb(179, 38, 30)'

/** The words in the red box, once there are some. */
async function readError(on: Page): Promise<string> {
  const box = on.getByRole('alert').locator('p')
  await box.waitFor()
  const { color, borderTopStyle } = await box.evaluate((element) => getComputedStyle(element))
  expect({ color, borderTopStyle }).toEqual({ color: red, borderTopStyle: 'solid' })
  return (await box.textContent()) ?? ''
}

test('whoever is not signed in is led to sign in from every place', async () => {
  for (const path of ['/', '/chat', '/chat/starred', '/profile', '/settings/help']) {
    await page.goto(path)
    await page.waitForURL('**/login')
    await see('Stay logged in on this browser')
  }
})

test('a part of a first visit that cannot be fetched for a while comes by itself, and what was typed is kept', async () => {
  const ben = await createPerson(server, 'ben')
  onTestFinished(() => ben.close())
  const notice = ben.page.getByText('Still loading Petrel.')
  await ben.page.goto('/register')
  await ben.page.getByLabel('Username', { exact: true }).fill('half a na')
  // The sign-in imports the registration's part, not the other way round.
  ben.network.cut()
  await ben.page.getByRole('link', { name: 'Sign in', exact: true }).click()
  await notice.waitFor()
  expect(await ben.page.getByLabel('Username', { exact: true }).inputValue()).toBe('half a na')
  // What answers now is not the server: a page of something in between, then an error of it.
  const page = { status: 200, contentType: 'text/html', body: '<p>Welcome to our Wi-Fi' }
  for (const answer of [page, { status: 503 }]) {
    const answers: string[] = []
    await ben.page.route('**/assets/**', async (route) => {
      await route.fulfill(answer)
      answers.push(route.request().url())
    })
    await expect.poll(() => answers.length).toBeGreaterThan(1)
    expect(await notice.isVisible()).toBe(true)
    await ben.page.unroute('**/assets/**')
  }
  ben.network.mend()
  await openSignInForm(ben.page)
  await notice.waitFor({ state: 'detached' })
})

test('the sign-in says how a phone is linked, what the desktop app is, and that all is encrypted', async () => {
  await page.goto('/login')
  const steps = page.getByRole('main').getByRole('listitem')
  await expect
    .poll(() => steps.allTextContents())
    .toEqual([
      'Open Petrel on your phone',
      'Open Menu or Settings',
      'Tap Linked devices, then Link device',
      'Point your phone at this screen to scan the QR code',
    ])
  const card = page.getByRole('complementary', { name: 'Desktop app' })
  await card.getByText('Download WhatsApp for Windows').waitFor()
  const download = card.getByRole('link', { name: 'Download' })
  expect(await download.getAttribute('href')).toMatch(/^https:/)
  expect(await download.getAttribute('target')).toBe('_blank')
  await see(encrypted)
})

test('the form and the registration lead to each other', async () => {
  await button('Log in with phone number').click()
  await page.getByRole('link', { name: 'Create account', exact: true }).click()
  await page.waitForURL('**/register')
  await see(encrypted)
  expect(await field('Email Address').getAttribute('type')).toBe('email')
  await page.getByRole('link', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/login')
})

test('the first paint needs no other file than the page, and is as it stays', async () => {
  const held = await holdRequests(page, '**/assets/**')
  await page.goto('/login', { waitUntil: 'commit' })
  const words = page.getByText('Verifying authentication...')
  await words.waitFor()
  const first = await words.evaluate((element) => {
    const { color, fontSize } = getComputedStyle(element)
    const { x, width } = element.getBoundingClientRect()
    const { backgroundColor } = getComputedStyle(element.parentElement ?? element)
    return { color, fontSize, backgroundColor, isCentred: x + width / 2 === innerWidth / 2 }
  })
  expect(first).toEqual({
    color: 'rgb(85, 103, 106)',
    fontSize: '15px',
    backgroundColor: 'rgb(223, 232, 232)',
    isCentred: true,
  })
  await held.release()
  await see('Stay logged in on this browser')
  expect(await words.count()).toBe(0)
})

test('each empty field of the registration says so beside itself', async () => {
  await page.goto('/register')
  await button('Create account').click()
  for (const [label, words] of [
    ['Username', 'Choose a username'],
    ['Email Address', 'Enter your email address'],
    ['Password', 'Choose a password'],
    ['Confirm Password', 'Enter the password again'],
  ] as const) {
    const described = await field(label).getAttribute('aria-describedby')
    await expect.poll(() => page.locator(`[id="${described}"]`).textContent()).toBe(words)
    expect(await field(label).getAttribute('aria-invalid')).toBe('true')
  }
  await expect.poll(() => hasFocus(field('Username'))).toBe(true)
  await page.goto('/login')
  await button('Log in with phone number').click()
  await button('Sign in').click()
  await see('Enter your phone number or username')
  await see('Enter your password')
  await button('Back to QR code').click()
})

test('the registration says in a red box what is wrong, until the next key', async () => {
  const { token } = await registerAccount(origin, 'taken')
  await page.goto('/login')
  await page.getByRole('link', { name: 'Get started' }).click()
  await page.waitForURL('**/register')
  await page.getByPlaceholder('Create a password (min. 6 characters)').fill('ann-secret')
  await field('Username').fill('taken')
  await field('Email Address').fill(ann.email)
  await field('Confirm Password').fill('another')
  await button('Create account').click()
  await expect.poll(() => readError(page)).toBe('Passwords do not match')
  await field('Password').fill('short')
  await expect.poll(() => page.getByRole('alert').locator('p').count()).toBe(0)
  await field('Confirm Password').fill('short')
  await button('Create account').click()
  await expect.poll(() => readError(page)).toBe('Password must be at least 6 characters')
  await field('Password').fill(ann.password)
  await field('Confirm Password').fill(ann.password)
  await button('Create account').click()
  await expect.poll(() => readError(page)).toBe('Username already taken')
  await expect.poll(() => hasFocus(field('Username'))).toBe(true)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ password: 'taken-secret' })
  const deleted = await fetch(`${origin}/api/users/me`, { method: 'DELETE', headers, body })
  expect(deleted.ok).toBe(true)
})

test('each password can be shown and hidden', async () => {
  for (const [label, name] of [
    ['Password', 'password'],
    ['Confirm Password', 'confirm password'],
  ] as const) {
    await expect.poll(() => field(label).getAttribute('type')).toBe('password')
    await button(`Show ${name}`).click()
    await expect.poll(() => field(label).getAttribute('type')).toBe('text')
    await expect.poll(() => field(label).inputValue()).toBe(ann.password)
    await button(`Hide ${name}`).click()
    await expect.poll(() => field(label).getAttribute('type')).toBe('password')
  }
})

test('the first visit shows its loading screen, once, and nothing beneath it can be reached', async () => {
  await field('Username').fill('ann')
  const held = await holdRequests(page, '**/api/auth/register')
  await button('Create account').click()
  await expect.poll(() => button('Creating account...').isDisabled()).toBe(true)
  // It looks before it lets the answer through: the screen may be there for 3 s only.
  const seeing = page.waitForFunction(() => {
    const bar = document.querySelector('[role="progressbar"]')
    const box = document.querySelector<HTMLElement>('input[type="search"]')
    if (!bar || !box) return undefined
    box.focus()
    return {
      words: bar.parentElement?.textContent,
      percent: bar.getAttribute('aria-valuenow'),
      isReached: document.activeElement === box,
    }
  })
  const [seen] = await Promise.all([seeing, held.release()])
  const { words, percent, isReached } = (await seen.jsonValue()) ?? {}
  expect(words).toContain(`Loading your chats [${percent}%]`)
  expect(words).toContain('End-to-end encrypted')
  expect(isReached).toBe(false)
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
  await page.getByRole('searchbox').fill('it can be used')
  await page.reload()
  await page.getByRole('searchbox').waitFor()
  expect(await page.getByRole('progressbar').count()).toBe(0)
})

test('whoever is signed in is led to the chats', async () => {
  for (const path of ['/', '/login', '/register']) {
    await page.goto(path)
    await page.waitForURL('**/chat')
    await page.getByRole('searchbox').waitFor()
  }
})

test('an empty list says why it is empty, and invites', async () => {
  await page.goto('/chat')
  await see('No chats available')
  await button('Invite to chat').waitFor()
  const held = await holdRequests(page, '**/sync/**', '**/api/users')
  await page.reload()
  await see('Authenticating...')
  await held.release()
  const cut = await failRequests(page, 'cut', '**/sync/**', '**/api/users')
  await page.reload()
  await see('Loading chats...')
  await cut.stop()
})

test('whoever can be written to stands in the list until there is a chat', async () => {
  await registerAccount(origin, 'ben')
  await button('New chat').first().click()
  const dialog = page.getByRole('dialog', { name: 'New chat' })
  await dialog.getByRole('link', { name: 'ben' }).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const people = page.getByRole('region', { name: 'People you can write to' })
  const ben = people.getByRole('link', { name: 'ben' })
  // An About that nobody wrote is not drawn.
  await ben.getByText('Available to chat').waitFor()
  await people.getByRole('button', { name: 'Invite to chat' }).click()
  await page.getByRole('dialog', { name: 'Invite to chat' }).getByText('/chat/new?to=').waitFor()
  await page.keyboard.press('Escape')
  expect(await chatRow(page, 'ben').count()).toBe(0)
})

test('the form and the QR code lead to each other and keep the choice', async () => {
  await page.goto('/profile')
  await button('Logout').click()
  await button('Log out').click()
  await page.waitForURL('**/login')
  const stay = page.getByRole('checkbox')
  await expect.poll(() => stay.isChecked()).toBe(true)
  await page.getByText('Stay logged in on this browser').click()
  await button('Log in with phone number').click()
  await see('Keep me signed in')
  await expect.poll(() => stay.isChecked()).toBe(false)
  await button('Back to QR code').click()
  await see('Stay logged in on this browser')
  await page.getByRole('img', { name: /^QR code/ }).waitFor()
  await expect.poll(() => stay.isChecked()).toBe(false)
})

test('a wrong password is told in a red box, and the focus stays; the right one leads to where one wanted to go', async () => {
  await page.goto('/chat/starred')
  await page.waitForURL('**/login')
  await button('Log in with phone number').click()
  await field('Phone number or Username').fill('ann')
  await field('Password').fill('wrong-secret')
  await button('Show password').click()
  await expect.poll(() => field('Password').getAttribute('type')).toBe('text')
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const held = await holdRequests(page, '**/api/auth/login')
  // One that is released before it is held is seen by nobody.
  await Promise.all([page.waitForRequest('**/api/auth/login'), button('Sign in').press('Enter')])
  await expect.poll(() => button('Signing in...').isDisabled()).toBe(true)
  // Neither the busy button nor Enter in a field sends it twice.
  await button('Signing in...').press('Enter')
  await field('Password').press('Enter')
  await button('Signing in...').focus()
  await held.release()
  await expect.poll(() => readError(page)).toBe('Wrong username or password')
  await expect.poll(() => hasFocus(button('Sign in'))).toBe(true)
  expect(asked.filter((url) => url.endsWith('/api/auth/login'))).toHaveLength(1)
  await field('Password').press('End')
  await field('Password').pressSequentially('x')
  await expect.poll(() => page.getByRole('alert').locator('p').count()).toBe(0)
  await button('Back to QR code').click()
  await signIn(ann)
  await page.waitForURL('**/chat/starred')
  expect((await readSession(ann)).token).not.toBe('')
})

test('the loading screen grows by 4 to 11 points each 300 ms, and goes 400 ms after it is full', async () => {
  const bar = page.getByRole('progressbar')
  const readPercent = async () => Number(await bar.getAttribute('aria-valuenow'))
  const key = `first-load-done ${(await readSession(ann)).userId}`
  const readDone = () => page.evaluate((key) => localStorage.getItem(key), key)
  // The clock stays this browser's: this has to be the last test.
  await page.clock.install()
  await page.evaluate((key) => localStorage.removeItem(key), key)
  // Ahead by more than the call may take: no clock goes back.
  await page.clock.pauseAt(Date.now() + 10_000)
  await page.goto('/chat')
  // The app starts by steps of the same clock: by its own the screen could be over before anybody looks.
  await expect
    .poll(async () => {
      await page.clock.runFor(20)
      return bar.count()
    })
    .toBe(1)
  await page.clock.runFor(300)
  // Draws the jump's effects before two further messages come through.
  for (const _ of [1, 2]) await page.evaluate(passMessage)
  let percent = await readPercent()
  const steps: number[] = []
  while (percent < 100) {
    await page.clock.runFor(300)
    await expect.poll(readPercent).toBeGreaterThan(percent)
    const next = await readPercent()
    if (next < 100) steps.push(next - percent)
    percent = next
  }
  expect(steps.length).toBeGreaterThan(0)
  expect(steps.filter((step) => step < 4 || step > 11)).toEqual([])
  await expect.poll(readDone).toBe('yes')
  await page.clock.runFor(399)
  expect(await bar.count()).toBe(1)
  await page.clock.runFor(1)
  await bar.waitFor({ state: 'detached' })
})

/** Runs in the page. */
function passMessage() {
  const { port1, port2 } = new MessageChannel()
  return new Promise<void>((resolve) => {
    port1.onmessage = () => resolve()
    port2.postMessage(undefined)
  })
}
