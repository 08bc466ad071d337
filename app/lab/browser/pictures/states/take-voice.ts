import type { Stage } from '../stage/open-stage.ts'
import { openDariosChat } from './open-darios-chat.ts'

/** Recording, listening before sending, and the sent message. */
export async function takeVoice(stage: Stage): Promise<void> {
  const { page, take } = stage
  await openDariosChat(stage)
  const panel = page.getByRole('group', { name: 'Voice message' })
  await page.getByRole('button', { name: 'Record voice message' }).focus()
  await page.keyboard.press('Enter')
  await panel.getByText('0:02').waitFor()
  await take('voice-recording', { ready: () => panel.waitFor() })
  await panel.getByRole('button', { name: 'Stop' }).click()
  await panel.getByRole('button', { name: 'Play' }).waitFor()
  await take('voice-ready')
  await panel.getByRole('button', { name: 'Send' }).click()
  await panel.waitFor({ state: 'detached' })
  const bubble = page
    .getByRole('article')
    .filter({ has: page.getByRole('slider') })
    .last()
  await bubble.getByRole('button', { name: 'Play' }).waitFor()
  await take('voice')
}
