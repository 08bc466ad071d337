import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { openChat, say } from './chat-steps.ts'
import { createPerson } from './create-person.ts'
import { findProblems } from './find-problems.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
afterAll(() => people.close())

test('axe finds nothing serious on the screens of a visitor', async () => {
  const visitor = await createPerson(people.server, 'carl')
  await visitor.page.goto('/login')
  expect(await findShownProblems(visitor.page, 'Log in with phone number')).toEqual([])
  await visitor.page.getByRole('button', { name: 'Log in with phone number' }).click()
  expect(await findShownProblems(visitor.page, 'Keep me signed in')).toEqual([])
  await visitor.page.goto('/register')
  expect(await findShownProblems(visitor.page, 'Create your account')).toEqual([])
  await visitor.close()
})

test.each(['light', 'dark'] as const)(
  'axe finds nothing serious on the %s screens',
  async (theme) => {
    const { page } = people.ann
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.goto('/chat')
    await openChat(page, 'ben')
    await say(page, `good morning in ${theme}`)
    expect(await findShownProblems(page, `good morning in ${theme}`)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await findShownProblems(page, `good morning in ${theme}`)).toEqual([])
    await page.goto('/chat')
    expect(await findShownProblems(page, 'ben')).toEqual([])
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto('/chat/starred')
    expect(await findShownProblems(page, 'No starred messages')).toEqual([])
    await page.goto('/no-such-page')
    expect(await findShownProblems(page, 'Page Not Found')).toEqual([])
  },
)

/** What axe finds once the words are shown. */
async function findShownProblems(page: Page, words: string): Promise<string[]> {
  await page.getByText(words).filter({ visible: true }).first().waitFor()
  return findProblems(page)
}
