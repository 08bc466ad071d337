import type { Stage } from '../stage/open-stage.ts'
import { openBensChat } from './open-bens-chat.ts'

/** While Ben is typing. */
export async function takeConversation(stage: Stage): Promise<void> {
  const { page, people, ben } = stage
  await openBensChat(stage)
  await stage.take('conversation', {
    async ready() {
      ben.say('typing', { recipientId: people.ann.userId })
      await page.getByRole('img', { name: 'is typing' }).waitFor()
    },
  })
}
