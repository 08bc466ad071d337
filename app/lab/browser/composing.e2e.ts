import { afterAll, expect, test } from 'vitest'
import { composer, openChat, readWords } from './chat-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
const { page } = people.ann
afterAll(() => people.close())

test('Shift and Enter make a line; Enter alone sends both', async () => {
  await openChat(page, 'ben')
  await composer(page).pressSequentially('first line')
  await composer(page).press('Shift+Enter')
  await composer(page).pressSequentially('second line')
  expect(await composer(page).inputValue()).toBe('first line\nsecond line')
  expect(await readWords(page)).toEqual([])
  await composer(page).press('Enter')
  const shown = page.getByRole('article').getByText('first line')
  expect(await shown.textContent()).toContain('first line\nsecond line')
  await expect.poll(() => composer(page).inputValue()).toBe('')
})

test('Enter that chooses a word of an input method sends nothing', async () => {
  const before = await readWords(page)
  await composer(page).focus()
  const devtools = await page.context().newCDPSession(page)
  const composing = { text: 'にほん', selectionStart: 3, selectionEnd: 3 }
  await devtools.send('Input.imeSetComposition', composing)
  const heard = page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        const hear = ({ key, isComposing }: KeyboardEvent) =>
          key === 'Enter' && resolve(isComposing)
        addEventListener('keydown', hear, { once: true })
      }),
  )
  await composer(page).press('Enter')
  expect(await heard).toBe(true)
  await devtools.send('Input.insertText', { text: '日本' })
  expect((await composer(page).inputValue()).trim()).toBe('日本')
  expect(await readWords(page)).toEqual(before)
  await composer(page).press('Enter')
  await expect.poll(() => readWords(page)).toEqual([...before, '日本'])
})
