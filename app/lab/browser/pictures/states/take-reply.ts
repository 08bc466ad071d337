import type { Stage } from '../stage/open-stage.ts'
import { openBensChat } from './open-bens-chat.ts'

/** The reply bar, and another message's menu. */
export async function takeReply(stage: Stage): Promise<void> {
  const { page, press, openMenu, take } = stage
  const bubble = (text: string) => page.getByRole('article').filter({ hasText: text })
  await openBensChat(stage)
  await openMenu(bubble('The tarp is at'))
  await press(page.getByRole('menuitem', { name: 'Reply' }))
  await page.getByText('Replying to').waitFor()
  await openMenu(bubble('So this is what is left'))
  await take('reply')
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await press(page.getByRole('button', { name: 'Cancel reply' }))
}
