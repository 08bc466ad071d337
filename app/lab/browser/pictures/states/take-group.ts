import { chatRow, composer } from '../../chat-steps.ts'
import type { Stage } from '../stage/open-stage.ts'
import { groupLines, groupName } from '../stage/story.ts'

/** A group's chat, and beside it who is in it. */
export async function takeGroup({ page, isPhone, press, take }: Stage): Promise<void> {
  await page.goto('/chat')
  await press(chatRow(page, groupName))
  await composer(page).waitFor()
  await page
    .getByRole('log')
    .getByText(groupLines.at(-1)?.text ?? '')
    .waitFor()
  await take('group')
  await press(page.getByRole('button', { name: /^Group info: / }))
  await page.getByText('3 members').first().waitFor()
  await take('group-info')
  if (isPhone) await page.goto('/chat')
  else await press(page.getByRole('button', { name: 'Close group info' }))
}
