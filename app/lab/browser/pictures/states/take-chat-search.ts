import type { Stage } from '../stage/open-stage.ts'
import { openBensChat } from './open-bens-chat.ts'

/** The hit's highlight lasts only two seconds, so each picture shows it again. */
export async function takeChatSearch(stage: Stage): Promise<void> {
  const { page, take } = stage
  await openBensChat(stage)
  await page.keyboard.press('Control+f')
  await page.getByRole('searchbox', { name: 'Search in this chat' }).fill('lamps')
  await page.getByText('1 of 2').waitFor()
  await take('chat-search', {
    async ready() {
      await page.keyboard.press('F3')
      await page.keyboard.press('Shift+F3')
      await page.getByText('1 of 2').waitFor()
    },
  })
}
