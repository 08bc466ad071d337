import { openPicker, picker } from '../../emoji-steps.ts'
import type { Stage } from '../stage/open-stage.ts'
import { openDariosChat } from './open-darios-chat.ts'

/** The picker, a search in it that finds nothing, and the quick reactions. */
export async function takeEmoji(stage: Stage): Promise<void> {
  const { page, isPhone, openMenu, take } = stage
  await openDariosChat(stage)
  await openPicker(page)
  await take('emoji')
  if (isPhone) await picker(page).getByRole('button', { name: 'Search emoji' }).click()
  await picker(page).getByRole('combobox').fill('nothing like it')
  await page.getByText('No results found').waitFor()
  await take('emoji-nothing')
  await picker(page).getByRole('combobox').fill('')
  await page.keyboard.press('Escape')
  await picker(page).waitFor({ state: 'detached' })
  const bubble = page.getByRole('article').last()
  if (isPhone) await openMenu(bubble)
  else {
    await bubble.hover()
    await bubble.getByRole('button', { name: 'React' }).click()
  }
  await take('reactions-offered')
  await page.getByLabel('Red heart').first().click()
  await bubble.getByRole('button', { name: /❤/ }).first().waitFor()
  await take('reacted')
}
