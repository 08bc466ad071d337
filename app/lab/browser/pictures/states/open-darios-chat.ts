import { composer } from '../../chat-steps.ts'
import type { Stage } from '../stage/open-stage.ts'

/** The chat with files, voice messages and reactions. */
export async function openDariosChat({ page, people }: Stage): Promise<void> {
  await page.goto(`/chat/${people.dario.userId}`)
  await composer(page).waitFor()
}
