import { chatRow } from '../../chat-steps.ts'
import type { Stage } from '../stage/open-stage.ts'

/** The list, and on a wide screen the empty pane beside it. */
export async function takeList({ page, people, take }: Stage): Promise<void> {
  await page.goto('/chat')
  // A device that has just been signed in has its messages a moment after its chats.
  await chatRow(page, people.ben.name).getByText('See you at the pier').waitFor()
  await chatRow(page, people.carla.name).getByRole('img', { name: '2 unread' }).waitFor()
  await take('list')
}
