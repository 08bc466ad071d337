import type { Stage } from '../stage/open-stage.ts'
import { openBensChat } from './open-bens-chat.ts'

export async function takeSelection(stage: Stage): Promise<void> {
  const { page, press, openMenu, take } = stage
  const bubble = (text: string) => page.getByRole('article').filter({ hasText: text })
  await openBensChat(stage)
  await openMenu(bubble('I like Carla'))
  await press(page.getByRole('menuitem', { name: 'Select' }))
  await press(bubble('So this is what'))
  await page.getByText('2 selected').waitFor()
  await take('selection')
}
