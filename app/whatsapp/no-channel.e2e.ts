import { afterAll, expect, test } from 'vitest'
import { readSession, registerPerson } from '../lab/browser/account-steps.ts'
import { dialog, readHint } from '../lab/browser/channel-steps.ts'
import { findProblems } from '../lab/browser/find-problems.ts'
import { createPerson } from '../lab/browser/person.ts'
import { startBuiltServer } from '../lab/browser/start-built-server.ts'

const server = await startBuiltServer()
const ann = await createPerson(server, 'ann')
const { page } = ann
afterAll(async () => {
  await ann.close()
  await server.close()
})
await registerPerson(ann)

const integration = dialog(page, 'WhatsApp Integration')
const link = integration.getByRole('button', { name: 'Link Account' })
const phoneFact = (text: string) => page.getByRole('definition').filter({ hasText: text })

async function linkNumber(digits: string) {
  await integration.getByLabel('WhatsApp ID').fill(digits)
  await integration.getByLabel('Phone Number', { exact: true }).fill(`+${digits}`)
  await link.click()
  await integration.getByText('Saved, not connected', { exact: true }).waitFor()
}

async function readPhone() {
  const headers = { authorization: `Bearer ${(await readSession(ann)).token}` }
  const answer = await fetch(`${server.origin}/api/users/me`, { headers })
  return ((await answer.json()) as { phone_number: string | null }).phone_number
}

test('what is refused is said in sight, above the buttons of a form that scrolls', async () => {
  await page.setViewportSize({ width: 390, height: 560 })
  await page.goto('/profile')
  await page.getByRole('button', { name: 'Link Account' }).click()
  await integration.getByLabel('WhatsApp ID').fill('15550783881')
  await integration.getByLabel('Phone Number', { exact: true }).fill('+15550783881')
  await integration.getByLabel('Phone Number ID').fill('106540352242922')
  await link.click()
  const problem = integration.getByText('WhatsApp channel is not configured')
  await problem.waitFor()
  const readBottom = async () => {
    const { y = 0, height = 0 } = (await problem.boundingBox()) ?? {}
    return y + height
  }
  const top = (await link.boundingBox())?.y
  await expect.poll(readBottom).toBeLessThanOrEqual(top ?? 0)
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1280, height: 800 })
})

test('a server without WhatsApp saves the number, and nowhere claims to be connected', async () => {
  await page.goto('/profile')
  await page.getByText('Not connected', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Link Account' }).click()
  await integration.getByText('but nothing will go over WhatsApp').waitFor()
  expect(await readHint(integration.getByLabel('Phone Number ID'))).toBe(
    "Leave this empty: without the channel, this server can't check or use Meta's id.",
  )
  expect(await findProblems(page)).toEqual([])
  await linkNumber('15550783881')
  await integration.getByText('but nothing goes over WhatsApp').waitFor()
  await integration.getByText('Once this server has WhatsApp, you can:').waitFor()
  expect(await integration.getByText('Connected', { exact: true }).count()).toBe(0)
  expect(await findProblems(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByText('Saved, not connected · +15550783881').waitFor()
  await page.getByText('No WhatsApp here.').waitFor()
})

test('unlinking says what becomes of the phone number, and keeps it unless told otherwise', async () => {
  await page.getByRole('button', { name: 'Manage' }).click()
  await integration.getByText("Otherwise it's removed from your account.").waitFor()
  await integration.getByRole('button', { name: 'Unlink Account' }).click()
  await integration.getByText('in place of +15550783881').waitFor()
  expect(await readPhone()).toBe('15550783881')
  await linkNumber('15550783882')
  await integration.getByRole('checkbox', { name: 'Keep +15550783882 when unlinking' }).uncheck()
  await integration.getByRole('button', { name: 'Unlink Account' }).click()
  await integration.getByLabel('WhatsApp ID').waitFor()
  expect(await integration.getByText('in place of').count()).toBe(0)
  expect(await readPhone()).toBeNull()
  await page.keyboard.press('Escape')
  await page.getByText('Not connected', { exact: true }).waitFor()
  await phoneFact('Not set').waitFor()
})

test('searching by phone number says so too, and offers no chat over WhatsApp', async () => {
  await page.getByRole('button', { name: 'Link Account' }).click()
  await linkNumber('15550783883')
  await page.goto('/chat')
  await page.getByRole('button', { name: 'New chat' }).click()
  await page.getByRole('button', { name: 'Search by Phone Number' }).click()
  const search = dialog(page, 'Search by Phone Number')
  await search.getByText('No WhatsApp here.').waitFor()
  await search.getByLabel('Phone Number').fill('+15555550100')
  await search.getByRole('button', { name: 'Search', exact: true }).click()
  await search.getByText('No user found with that phone number').waitFor()
  expect(await search.getByRole('button', { name: 'Start a WhatsApp chat' }).count()).toBe(0)
})
