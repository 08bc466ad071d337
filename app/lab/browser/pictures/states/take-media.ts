import { say } from '../../chat-steps.ts'
import type { Stage } from '../stage/open-stage.ts'
import { openDariosChat } from './open-darios-chat.ts'

const tabs = ['Media', 'Files', 'Links'] as const

/** The gallery, and all of a chat's non-text content. */
export async function takeMedia(stage: Stage): Promise<void> {
  const { page, press, isPhone, take } = stage
  await openDariosChat(stage)
  await press(page.getByRole('button', { name: 'Open picture tide.jpg' }).last())
  await page.getByRole('dialog').getByRole('img').waitFor()
  await take('gallery')
  await page.keyboard.press('Escape')
  // Both widths are the same person's: the chat keeps what the first one wrote.
  await say(page, `The ${isPhone ? 'tides' : 'wind'}: https://tides.example.org/harbour`)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Media, files and links' }).click()
  for (const tab of tabs) {
    await press(page.getByRole('tab', { name: tab }))
    await page
      .getByRole('heading', { name: /^(This month|June)/ })
      .first()
      .waitFor()
    await take(`media-${tab.toLowerCase()}`)
  }
}
