import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { registerAccount } from '../server/server-accounts.ts'
import { signIn } from './account-steps.ts'
import { linkAccount, startChatByNumber } from './channel-steps.ts'
import { chatRow, composer, message, openChat, say } from './chat-steps.ts'
import { findProblems } from './find-problems.ts'
import { holdBeforeCamera, loseKeys, readPicture, registerWithKeys } from './key-steps.ts'
import { hasFocus, readRestingBox, untilAccepted } from './message-steps.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'
import { startOperator } from './start-operator.ts'

const server = await startBuiltServer({ env: { END_TO_END: 'on' } })
const [ann, ben] = await Promise.all([createPerson(server, 'ann'), createPerson(server, 'ben')])
const { page } = ann

beforeAll(async () => {
  await registerAccount(server.origin, 'carla')
  await registerAccount(server.origin, 'dora')
  await registerWithKeys(ann)
  await registerWithKeys(ben)
  await openChat(page, 'ben')
  await say(page, 'the albatross lands')
  await chatRow(ben.page, 'ann').click()
  await message(ben.page, 'the albatross lands').waitFor()
})

afterAll(async () => {
  await Promise.all([ann.close(), ben.close()])
  await server.close()
})

const panel = (on: Page) => on.getByRole('region', { name: 'Encryption' })

/** Contact info → Encryption, from the open chat. */
async function openEncryption(on: Page) {
  await on.getByRole('button', { name: /^Contact info/ }).click()
  await on.getByRole('button', { name: /^Encryption/ }).click()
  await panel(on).getByRole('group', { name: 'Security code' }).waitFor()
}

const readCode = async (on: Page) =>
  ((await panel(on).getByRole('group', { name: 'Security code' }).textContent()) ?? '').replace(
    /\D/g,
    '',
  )

const codeOn = (on: Page) => panel(on).getByRole('img', { name: 'QR code of the security code' })

test('P13: both sides show the same 60 digits, and each scans the code of the other', async () => {
  await openEncryption(page)
  await openEncryption(ben.page)
  const code = await readCode(page)
  expect(code).toMatch(/^\d{60}$/)
  expect(await readCode(ben.page)).toBe(code)
  expect(await findProblems(page)).toEqual([])
  await holdBeforeCamera(page, await readPicture(codeOn(ben.page)))
  await panel(page).getByRole('button', { name: 'Scan code' }).click()
  await panel(page).getByText('The codes match. Nobody is in between.').waitFor()
})

test('P13: the keys lie in IndexedDB alone: no storage, cookie or address of the page has them', async () => {
  const { seeds, told } = await page.evaluate(async () => {
    const { _id } = JSON.parse(localStorage.getItem('user') ?? '{}')
    const opening = indexedDB.open(`petrel-${_id}-device`)
    await new Promise((resolve) => {
      opening.onsuccess = resolve
    })
    const reading = opening.result.transaction('keyring').objectStore('keyring').getAll()
    await new Promise((resolve) => {
      reading.onsuccess = resolve
    })
    opening.result.close()
    const rows: { keys: { seed: Uint8Array } }[] = reading.result
    return {
      seeds: rows.map(({ keys }) => [...keys.seed]),
      told: JSON.stringify([
        { ...localStorage },
        { ...sessionStorage },
        document.cookie,
        location.href,
        history.state,
      ]),
    }
  })
  expect(told).toContain('token')
  expect(seeds).toHaveLength(1)
  for (const seed of seeds) {
    expect(seed).toHaveLength(32)
    const forms = (['hex', 'base64url', 'base64'] as const).map((form) =>
      Buffer.from(seed).toString(form),
    )
    for (const form of [...forms, seed.join(',')]) expect(told).not.toContain(form)
  }
})

test('the mark stands beside the name, also on another device, until it is taken away', async () => {
  await panel(page).getByRole('button', { name: 'Mark as verified' }).click()
  await panel(page)
    .getByText(/^You verified ben/)
    .waitFor()
  const heading = page.locator('header').getByRole('heading', { level: 2, name: /^ben/ })
  await heading.getByRole('img', { name: 'Verified' }).waitFor()
  expect(await findProblems(page)).toEqual([])
  const laptop = await createPerson(server, 'ann')
  try {
    await laptop.page.goto('/login')
    await laptop.page.getByRole('button', { name: 'Log in with phone number' }).click()
    await laptop.page.getByLabel('Phone number or Username').fill('ann')
    await laptop.page.getByLabel('Password', { exact: true }).fill(ann.password)
    await laptop.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await chatRow(laptop.page, 'ben').click()
    await laptop.page.getByRole('img', { name: 'Verified' }).waitFor()
    await openEncryption(laptop.page)
    await panel(laptop.page).getByRole('button', { name: 'Remove mark' }).click()
    await heading.getByRole('img', { name: 'Verified' }).waitFor({ state: 'detached' })
    await panel(laptop.page).getByRole('button', { name: 'Mark as verified' }).click()
    await heading.getByRole('img', { name: 'Verified' }).waitFor()
  } finally {
    await laptop.close()
  }
})

test('P13: a new key takes the mark away, and stands as a line in the chat that leads to the code', async () => {
  const code = await readCode(page)
  const picture = await readPicture(codeOn(page))
  await loseKeys(ben.page)
  await ben.page.getByRole('button', { name: /^Begin a new key/ }).click()
  const form = ben.page.getByRole('dialog', { name: 'Begin a new key' })
  await form.getByLabel('Password', { exact: true }).fill(ben.password)
  await form.getByRole('button', { name: 'Begin', exact: true }).click()
  await ben.page.getByRole('dialog', { name: 'Your recovery key' }).waitFor()

  // A page about Ben asks who he is now.
  await page.reload()
  await panel(page).getByText("ben's security code changed.").first().waitFor()
  await expect.poll(() => readCode(page)).not.toBe(code)
  await page.getByRole('button', { name: 'Back' }).click()
  const line = page.getByRole('log').getByRole('button', { name: /^ben's security code changed/ })
  await line.waitFor()
  expect(await page.getByRole('img', { name: 'Verified' }).count()).toBe(0)
  expect(await findProblems(page)).toEqual([])
  await line.click()
  await panel(page).getByRole('group', { name: 'Security code' }).waitFor()
  // A code from before: of the key that Ben no longer has.
  await holdBeforeCamera(page, picture)
  await panel(page).getByRole('button', { name: 'Scan code' }).click()
  await panel(page)
    .getByText(/^The codes don't match/)
    .waitFor()
  expect(await findProblems(page)).toEqual([])
})

test('a chat with somebody without keys says that it is not encrypted, there and in the contact info', async () => {
  await page.goto('/chat')
  await openChat(page, 'carla')
  const words = "Not encrypted: carla hasn't set up encryption yet."
  await page.getByText(words).waitFor()
  await page.getByRole('button', { name: 'Contact info: carla' }).click()
  const info = page.getByRole('region', { name: 'Contact info' })
  await info.getByText(words).waitFor()
  expect(await info.getByRole('button', { name: /^Encryption/ }).count()).toBe(0)
  expect(await findProblems(page)).toEqual([])
})

test('P13: a chat that began in plain says from when on it is encrypted, the same to both', async () => {
  await say(page, 'the plain beginning')
  // What has not left when her keys are known leaves sealed.
  await untilAccepted(page, 'the plain beginning')
  const carla = await createPerson(server, 'carla')
  onTestFinished(() => carla.close())
  // Her keys are made at her first sign-in by the app.
  await carla.page.goto('/login')
  await signIn(carla)
  const lineOn = (on: Page) =>
    on.getByRole('log').getByRole('button', { name: /^End-to-end encrypted from here on/ })
  // A page about Carla asks who she is now.
  await page.reload()
  await lineOn(page).waitFor()
  await say(page, 'the first sealed one')
  await chatRow(carla.page, 'ann').click()
  await message(carla.page, 'the first sealed one').waitFor()
  for (const on of [page, carla.page]) {
    await lineOn(on).waitFor()
    const shown = (await on.getByRole('log').textContent()) ?? ''
    const places = ['the plain beginning', 'not encrypted', 'from here on', 'the first sealed one']
    expect(places.map((words) => shown.indexOf(words))).toEqual(
      places.map((words) => shown.indexOf(words)).toSorted((a, b) => a - b),
    )
    expect(shown.match(/not encrypted/g)).toHaveLength(1)
    expect(await lineOn(on).count()).toBe(1)
    expect(await findProblems(on)).toEqual([])
  }
  await lineOn(carla.page).click()
  await panel(carla.page).getByRole('group', { name: 'Security code' }).waitFor()
})

test('P13: a report shows the last messages to who answers it, where the person lets it', async () => {
  const { page } = ben
  const told: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/report')) told.push(request.postDataJSON())
  })
  await page.goto('/chat')
  await chatRow(page, 'ann').click()
  await page.getByRole('button', { name: 'Contact info: ann' }).click()
  const dialog = page.getByRole('dialog', { name: 'Report ann' })
  const reason = 'She sells watches'
  for (const isLet of [true, false]) {
    await page.getByRole('button', { name: 'Report ann' }).click()
    await dialog.getByLabel('Reason').fill(reason)
    await dialog.getByLabel('Also block ann').uncheck()
    await dialog.getByLabel('Show them the last message of this chat').setChecked(isLet)
    expect(await findProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Report', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => told.length).toBe(isLet ? 1 : 2)
  }
  const text = 'the albatross lands'
  expect(told).toEqual([
    { reason, messages: [{ isTheirs: true, text, writtenAt: expect.any(String) }] },
    { reason },
  ])
})

test('P13: on a device without its keys a chat says that messages wait, never that it is not encrypted, and asks for no preview', async () => {
  await loseKeys(page)
  await page.goto('/chat')
  await chatRow(page, 'ben').click()
  await page.getByText('Messages send once you unlock this device.').waitFor()
  const asked: string[] = []
  for (const [name, on] of Object.entries({ ann: page, ben: ben.page })) {
    on.on('request', (request) => {
      if (request.url().includes('/links/')) asked.push(`${name} ${request.postData()}`)
    })
  }
  await composer(page).fill('look: http://127.0.0.1/albatross')
  await ben.page.goto('/chat')
  await chatRow(ben.page, 'ann').click()
  await say(ben.page, 'comes while locked')
  // Ben begins later, in a chat that is not encrypted: what asks at all has asked by then.
  await openChat(ben.page, 'dora')
  await composer(ben.page).fill('look: http://127.0.0.1/bittern')
  await expect.poll(() => asked.length).toBeGreaterThan(0)
  expect(asked).toEqual([expect.stringMatching(/^ben .*bittern/)])
  await composer(ben.page).fill('')

  const locked = page.getByRole('article').filter({ hasText: 'Unlock this device to read it.' })
  await locked.getByText('Waiting for the key').waitFor()
  expect(await findProblems(page)).toEqual([])
  await say(page, 'written while locked')
  await page.getByRole('button', { name: 'Contact info: ben' }).click()
  const info = page.getByRole('region', { name: 'Contact info' })
  await info.getByText('End-to-end encrypted. Locked on this device.').waitFor()
  expect(await page.getByText(/not encrypted/i).count()).toBe(0)
  expect(await findProblems(page)).toEqual([])
  await info.getByRole('button', { name: /^Encryption/ }).click()
  await panel(page)
    .getByText(/^This device doesn't have your newest key/)
    .waitFor()
  await panel(page).getByRole('link', { name: 'Unlock it' }).click()
  await page.waitForURL('**/settings/security')
  await page.goBack()
  await locked.getByRole('link', { name: 'Unlock' }).click()
  await page.waitForURL('**/settings/security')
  await page.goBack()
  // From the message on by the keyboard, once it is measured, and can take the focus, and the composer has had it.
  await readRestingBox(locked)
  await locked.focus()
  await expect.poll(() => hasFocus(locked)).toBe(true)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/settings/security')
  await page.getByRole('button', { name: /^Use your password/ }).click()
  const form = page.getByRole('dialog', { name: 'Unlock with your password' })
  await form.getByLabel('Password', { exact: true }).fill(ann.password)
  await form.getByRole('button', { name: 'Unlock' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByText(/^Messages, reactions, files and their names in chats with people/).waitFor()
  await page.goto('/chat')
  await chatRow(page, 'ben').click()
  await message(page, 'comes while locked').waitFor()
  await chatRow(ben.page, 'ann').click()
  await message(ben.page, 'written while locked').waitFor()
})

test('a chat over WhatsApp says that it is not encrypted, there and in the contact info', async () => {
  const operator = await startOperator({ hasKeys: true })
  onTestFinished(() => operator.close())
  const { page } = operator.ann
  await linkAccount(page)
  await startChatByNumber(page, '+49 30 5550100')
  const words = 'Not encrypted: these messages go through WhatsApp.'
  await page.getByText(words).waitFor()
  await page.getByRole('button', { name: /^Contact info/ }).click()
  await page.getByRole('region', { name: 'Contact info' }).getByText(words).waitFor()
  expect(await findProblems(page)).toEqual([])
})
