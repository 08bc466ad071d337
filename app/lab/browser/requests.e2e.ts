import { afterAll, expect, test } from 'vitest'
import { readSession, waitUntilKept } from './account-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const people = await startAnnAlone({ keepsApp: true })
const { ann, ben, server } = people
afterAll(() => people.close())

test('P1: a profile that is saved without a network outlives a reload, and others see it later', async () => {
  const { userId } = await readSession(ann)
  const { token } = ben
  const readAbout = async () => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${server.origin}/api/users/${userId}`, { headers })
    return ((await response.json()) as { status: string }).status
  }
  const { page } = ann
  await waitUntilKept(ann)
  await page.getByRole('link', { name: 'Profile', exact: true }).click()
  await page.getByRole('link', { name: 'Profile page' }).click()
  await page.getByText('Member since').waitFor()
  await ann.goOffline()
  // On a slow machine its line is a minute back by now.
  const moment = /^(just now|[1-9] minutes? ago)$/
  await page.getByRole('definition').filter({ hasText: moment }).waitFor()
  await page.getByRole('button', { name: 'Edit profile' }).click()
  await page.getByRole('textbox', { name: 'About' }).fill('At sea')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('definition').filter({ hasText: 'At sea' }).waitFor()
  await page.reload()
  await page.getByRole('definition').filter({ hasText: 'At sea' }).waitFor()
  expect(await readAbout()).not.toBe('At sea')
  await ann.goOnline()
  await expect.poll(readAbout).toBe('At sea')
})

test('a name that was changed meanwhile is shown once the chat is opened', async () => {
  const { page } = ann
  await Promise.all([page.waitForResponse('**/api/users'), page.goto('/chat')])
  const row = page.getByRole('region', { name: 'People' }).getByRole('link', { name: 'ben' })
  await row.waitFor()
  const { token } = ben
  const answer = await fetch(`${server.origin}/api/users/profile`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'benjamin' }),
  })
  expect(answer.status).toBe(200)
  await row.click()
  await page.getByRole('heading', { level: 2, name: 'benjamin' }).waitFor()
})
