import { attach, drawPhoto, sendDialog, writeText } from '../../file-steps.ts'
import type { Stage } from '../stage/open-stage.ts'
import { openDariosChat } from './open-darios-chat.ts'

const longName = `what-we-take-along-${'and-what-we-do-not-'.repeat(4)}.txt`

/** Choosing, previewing and sent files: a wide and a high picture, documents. */
export async function takeFiles(stage: Stage): Promise<void> {
  const { page, press, take } = stage
  await openDariosChat(stage)
  await press(page.getByRole('button', { name: 'Attach' }))
  await page.getByRole('menu').waitFor()
  await take('attach-menu')
  await page.keyboard.press('Escape')
  const files = [
    await drawPhoto(page),
    await drawPhoto(page, { name: 'mast.jpg', width: 700, height: 1200 }),
    writeText(longName, 'Rope, tarp, batteries. '.repeat(400)),
  ]
  await attach(page, 'Document', files)
  await take('send-files')
  await sendDialog(page).getByRole('button', { name: 'Cancel' }).click()
  await attach(page, 'Photos & Videos', files.slice(0, 2))
  await sendDialog(page).getByRole('textbox').fill('The harbour, and what is left of the mast')
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await attach(page, 'Document', files.slice(2))
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await page
    .getByRole('button', { name: /^Download what-we-take/ })
    .last()
    .waitFor()
  await take('files')
}
