import { afterAll, expect, test } from 'vitest'
import { readSession, signIn } from './account-steps.ts'
import { findProblems } from './find-problems.ts'
import { holdBeforeCamera, loseKeys, readPicture, registerWithKeys } from './key-steps.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

const server = await startBuiltServer({ env: { END_TO_END: 'on' } })
const laptop = await createPerson(server, 'ann', {
  permissions: ['clipboard-read', 'clipboard-write'],
})
const phone = await createPerson(server, 'ann')
const { page } = laptop
/** Everything that leaves both browsers. */
const sent: string[] = []
const complaints: string[] = []
for (const each of [laptop, phone]) {
  each.page.context().on('console', (line) => {
    // A policy that forbids WebAssembly would only make it slower.
    if (line.text().includes('Content Security Policy')) complaints.push(line.text())
  })
  each.page.context().on('request', (request) => {
    sent.push(`${request.url()} ${request.postData() ?? ''}`)
  })
}

afterAll(async () => {
  await Promise.all([laptop.close(), phone.close()])
  await server.close()
})

const row = (name: RegExp) => page.getByRole('button', { name })
const dialog = (name: string) => page.getByRole('dialog', { name })
const kept = { recoveryKey: '' }

/** At how many devices the server has this person signed in. */
async function countSignIns(): Promise<number> {
  const headers = { authorization: `Bearer ${(await readSession(laptop)).token}` }
  const answer = await fetch(`${server.origin}/api/users/me/sessions`, { headers })
  return ((await answer.json()) as unknown[]).length
}

test('P13: who registers by the form gets keys, and the password leaves no browser', async () => {
  await registerWithKeys(laptop)
  await phone.page.goto('/login')
  await signIn(phone)
  const said = sent.join('\n')
  expect(said).toContain('/api/auth/register')
  expect(said).toContain('/api/auth/login')
  expect(said).not.toContain(laptop.password)
  expect(complaints).toEqual([])
  expect(said).toMatch(/"secret":\{"v":1/)
})

test('the settings show the recovery key until it is kept, and a new one takes the password', async () => {
  await page.goto('/settings')
  await page.getByRole('link', { name: /^Keep your recovery key/ }).waitFor()
  expect(await findProblems(page)).toEqual([])
  await page.goto('/settings/security')
  await row(/^Keep your recovery key/).click()
  const shown = dialog('Your recovery key')
  const text = shown.getByText(/^([A-Z2-7]{4} ){12}[A-Z2-7]{4}$/)
  await text.waitFor()
  kept.recoveryKey = (await text.textContent()) ?? ''
  expect(await findProblems(page)).toEqual([])
  await shown.getByRole('button', { name: 'Copy' }).click()
  await shown.getByRole('status').getByText('Recovery key copied', { exact: true }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(kept.recoveryKey)
  const saving = page.waitForEvent('download')
  await shown.getByRole('button', { name: 'Save' }).click()
  const saved = await (await saving).createReadStream()
  expect((await saved.toArray()).join('')).toContain(kept.recoveryKey)
  // A browser without a screen prints nothing: what it would print is told to the page that opened it.
  await page.context().addInitScript(() => {
    window.print = () => Reflect.set(window.opener ?? {}, 'printed', document.body.textContent)
  })
  await shown.getByRole('button', { name: 'Print' }).click()
  await expect
    .poll(() => page.evaluate(() => String(Reflect.get(window, 'printed'))))
    .toContain(kept.recoveryKey)
  await page.reload()
  await row(/^Keep your recovery key/).click()
  expect(await text.textContent()).toBe(kept.recoveryKey)
  await shown.getByRole('button', { name: 'I have kept it' }).click()
  await row(/^New recovery key/).waitFor()
  expect(await page.getByRole('link', { name: /^Keep your recovery key/ }).count()).toBe(0)
  await row(/^New recovery key/).click()
  await dialog('New recovery key').waitFor()
  expect(await findProblems(page)).toEqual([])
  await dialog('New recovery key').getByLabel('Password', { exact: true }).fill('a guess')
  await dialog('New recovery key').getByRole('button', { name: 'Make a key' }).click()
  await dialog('New recovery key')
    .getByRole('alert')
    .getByText('The current password is wrong.')
    .waitFor()
  await page.keyboard.press('Escape')
})

test('a device without the keys says so, and the recovery key unlocks it', async () => {
  const { page } = phone
  await loseKeys(page)
  expect(await findProblems(page)).toEqual([])
  const ways = {
    'Use your password': 'Unlock with your password',
    'Begin a new key': 'Begin a new key',
  }
  for (const [way, title] of Object.entries(ways)) {
    await page.getByRole('button', { name: way }).click()
    await page.getByRole('dialog', { name: title, exact: true }).waitFor()
    expect(await findProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: /^Use your recovery key/ }).click()
  const form = page.getByRole('dialog', { name: 'Unlock with your recovery key' })
  await form.waitFor()
  expect(await findProblems(page)).toEqual([])
  await form.getByLabel('Recovery key').fill(kept.recoveryKey.toLowerCase())
  await form.getByLabel('Password', { exact: true }).fill(phone.password)
  await form.getByRole('button', { name: 'Unlock' }).click()
  await page.getByRole('heading', { name: 'Recovery key', exact: true }).waitFor()
  expect(sent.join('\n')).not.toContain(phone.password)
})

test('another device hands its keys to a locked one by a code, and no further sign-in is left', async () => {
  const { page: locked } = phone
  const listSignIns = () => page.getByText('Last used').count()
  await page.goto('/settings/security')
  await page.getByText('This device', { exact: false }).first().waitFor()
  await expect.poll(listSignIns).toBe(1)
  await loseKeys(locked)
  await locked.goto('/chat')
  await locked.getByRole('link', { name: /^Your messages are locked on this device/ }).click()
  await locked.getByRole('button', { name: /^Use another device/ }).click()
  const code = locked.getByRole('img', {
    name: 'QR code that unlocks your messages on this device',
  })
  await code.waitFor()
  expect(await findProblems(locked)).toEqual([])
  const picture = await readPicture(code)
  await page.goto('/link')
  await holdBeforeCamera(page, picture)
  await page.getByRole('button', { name: 'Link device', exact: true }).click()
  await page.getByRole('heading', { name: /^Sign in on / }).waitFor()
  await page.getByRole('button', { name: 'Link device', exact: true }).click()
  await locked.getByRole('heading', { name: 'Recovery key', exact: true }).waitFor()
  await locked.getByRole('dialog').waitFor({ state: 'detached' })
  // The keys are here before the sign-in that came with them is ended, and a list that was known before is shown first.
  await expect.poll(countSignIns).toBe(2)
  await page.goto('/settings/security')
  await expect.poll(listSignIns).toBe(1)
})

test('a recovery key that another device replaced is not taken for kept: the screen says so', async () => {
  for (const { page: screen, password } of [phone, laptop]) {
    await screen.goto('/settings/security')
    await screen.getByRole('button', { name: /^New recovery key/ }).click()
    const form = screen.getByRole('dialog', { name: 'New recovery key' })
    await form.getByLabel('Password', { exact: true }).fill(password)
    // A screen asks once whether its key is the newest: asked after the next one was made, the answer would close it.
    let isMade = false
    const checked = screen.waitForResponse((answer) => {
      isMade ||= answer.url().endsWith('/keys/wraps')
      return isMade && answer.url().endsWith('/me/keys')
    })
    await form.getByRole('button', { name: 'Make a key' }).click()
    await screen.getByRole('dialog', { name: 'Your recovery key' }).waitFor()
    await checked
  }
  await phone.page.getByRole('button', { name: 'I have kept it' }).click()
  const words = /^Your account has a newer recovery key: .* opens nothing any more/
  await phone.page.getByRole('status').getByText(words).waitFor()
  await phone.page.getByRole('button', { name: /^New recovery key/ }).waitFor()
  expect(await findProblems(phone.page)).toEqual([])
  await page.getByRole('button', { name: 'I have kept it' }).click()
  await page.getByRole('button', { name: /^New recovery key/ }).waitFor()
  expect(await page.getByText(words).count()).toBe(0)
})

test('a device of somebody else hands over nothing, and says whose it is', async () => {
  const { page: locked } = phone
  const carla = await createPerson(server, 'carla')
  try {
    await registerWithKeys(carla)
    await loseKeys(locked)
    await locked.getByRole('button', { name: /^Use another device/ }).click()
    const code = locked.getByRole('img', {
      name: 'QR code that unlocks your messages on this device',
    })
    await code.waitFor()
    const picture = await readPicture(code)
    await carla.page.goto('/link')
    await holdBeforeCamera(carla.page, picture)
    await carla.page.getByRole('button', { name: 'Link device', exact: true }).click()
    await carla.page.getByRole('heading', { name: /^Sign in on / }).waitFor()
    await carla.page.getByRole('button', { name: 'Link device', exact: true }).click()
    await locked.getByText('That device is signed in as carla. Use one of yours.').waitFor()
    await locked.getByRole('button', { name: 'Cancel' }).click()
    await locked.getByRole('heading', { name: 'Locked messages' }).waitFor()
    const { _id } = await carla.page.evaluate(() =>
      JSON.parse(localStorage.getItem('user') ?? '{}'),
    )
    const names = await locked.evaluate(async () =>
      (await indexedDB.databases()).map(({ name }) => name ?? ''),
    )
    expect(names.filter((name) => name.includes(_id))).toEqual([])
  } finally {
    await carla.close()
  }
})
