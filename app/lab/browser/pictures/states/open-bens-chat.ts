import { chatRow, composer } from '../../chat-steps.ts'
import type { Stage } from '../stage/open-stage.ts'

/** Ben's chat, at its end. */
export async function openBensChat({ page, people, press }: Stage): Promise<void> {
  await page.goto('/chat')
  await press(chatRow(page, people.ben.name))
  await composer(page).waitFor()
  await page.getByRole('article').filter({ hasText: 'a quarter to seven' }).waitFor()
}
