import { message, readTicks, say } from '../../chat-steps.ts'
import { waitUntil } from '../../wait-until.ts'
import type { Stage } from '../stage/open-stage.ts'
import { openBensChat } from './open-bens-chat.ts'

const waiting = ['Got the rope and the batteries', 'Bring the big thermos, please!']

/** A device's last picture: nothing written here leaves it. */
export async function takeOffline(stage: Stage): Promise<void> {
  const { page, ann, take } = stage
  await openBensChat(stage)
  await ann.goOffline()
  for (const text of waiting) {
    await say(page, text)
    await message(page, text).waitFor()
    await waitUntil('it waits', async () => (await readTicks(page, text)) === 'Waiting to be sent')
  }
  await page.getByText("You're offline").filter({ visible: true }).first().waitFor()
  await take('offline')
}
