import { attach, drawPhoto, sendDialog, writeText } from '../../file-steps.ts'
import type { Stage } from '../stage/open-stage.ts'
import { openDariosChat } from './open-darios-chat.ts'

/** Files that wait for the network; removed again afterwards. */
export async function takeWaitingFiles(stage: Stage): Promise<void> {
  const { page, ann, take } = stage
  await openDariosChat(stage)
  await ann.goOffline()
  const files = [await drawPhoto(page, { name: 'tide.jpg' }), writeText('tides.txt', 'High at six')]
  await attach(page, 'Document', files)
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await page.getByText('Waiting to upload').last().waitFor()
  await take('waiting-files')
  await ann.goOnline()
  await page.getByText('Waiting to upload').first().waitFor({ state: 'detached' })
}
