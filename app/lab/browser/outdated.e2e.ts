import type { Route } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import { openSignInForm, registerPerson, signIn, waitUntilKept } from './account-steps.ts'
import { chatRow, composer, openChat, readTicks, readWords, say } from './chat-steps.ts'
import { copyBuild } from './copy-build.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

const build = await copyBuild()
const server = await startBuiltServer({ dist: build.dist })
const ann = await createPerson(server, 'ann', { keepsApp: true })
const ben = await createPerson(server, 'ben')

afterAll(async () => {
  await Promise.all([ann.close(), ben.close()])
  await server.close()
  await build.remove()
})

const demand = ann.page.getByText('Update to go on. Messages will send when you', { exact: false })
const button = ann.page.getByRole('button', { name: 'Update now' })
const shown = () => demand.filter({ visible: true })

/** The server is a version ahead of the page, until the page is replaced. */
async function ageApp() {
  const age = { isOld: true }
  ann.page.once('domcontentloaded', () => {
    age.isOld = false
  })
  await ann.page.route(/\/(api|sync|poll)\b/, async (route: Route) => {
    const headers = await route.request().allHeaders()
    if (age.isOld) headers[wireHeader] = String(wireVersion - 1)
    await route.continue({ headers })
  })
  // Its handshake tells the version too, and cannot be rewritten.
  ann.network.blockSockets()
}

test('P1 P6: an app that is too old asks for its update, and sends what waited after it', async () => {
  const { page } = ann
  await Promise.all([registerPerson(ann), registerPerson(ben)])
  await waitUntilKept(ann)
  await openChat(page, 'ben')
  await say(page, 'before')
  await expect.poll(() => readTicks(page, 'before')).toBe('Delivered')
  await page.goto('/chat')
  await chatRow(page, 'ben').click()

  await build.deploy('second')
  await ageApp()
  await say(page, 'written too early')
  await demand.waitFor()
  await expect.poll(() => demand.textContent()).toContain('1\u00a0waiting')
  expect(await readTicks(page, 'written too early')).toBe('Waiting to be sent')
  await composer(page).fill('half a wor')

  await page.setViewportSize({ width: 390, height: 844 })
  await expect.poll(() => shown().count()).toBe(1)
  await page.getByRole('button', { name: 'Back to chats' }).click()
  await chatRow(page, 'ben').waitFor()
  await expect.poll(() => shown().count()).toBe(1)

  await button.click()
  await page.locator('body[data-version="second"]').waitFor({ state: 'attached' })
  ann.network.allowSockets()
  await chatRow(ben.page, 'ann').click()
  await expect.poll(() => readWords(ben.page)).toEqual(['before', 'written too early'])
  await chatRow(page, 'ben').click()
  await expect.poll(() => readTicks(page, 'written too early')).toBe('Read')
  await expect.poll(() => composer(page).inputValue()).toBe('half a wor')
  await expect.poll(() => demand.count()).toBe(0)
  expect([...ann.problems, ...ben.problems]).toEqual([])
})

test('at the sign-in the same button leads on', async () => {
  const { page, username, password } = ann
  await page.evaluate(() => localStorage.removeItem('token'))
  await page.goto('/login')
  await build.deploy('third')
  await ageApp()
  await openSignInForm(page)
  await page.getByLabel('Phone number or Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('This version of Petrel is too old for this server.').waitFor()
  await button.click()
  await page.locator('body[data-version="third"]').waitFor({ state: 'attached' })
  ann.network.allowSockets()
  await signIn(ann)
  await chatRow(page, 'ben').waitFor()
})
