import { composer } from '../../chat-steps.ts'
import type { Stage } from '../stage/open-stage.ts'

/** The chat in which files, voice messages and reactions are. */
export async function openDariosChat({ page, people }: Stage): Promise<void> {
  await page.goto(`/chat/${people.dario.userId}`)
  await composer(page).waitFor()
}
