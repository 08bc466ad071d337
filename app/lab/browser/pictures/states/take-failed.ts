import type { Stage } from '../stage/open-stage.ts'

/** A message that the server gave back, with its reason and what can be done. */
export async function takeFailed({ page, people, take }: Stage): Promise<void> {
  await page.goto(`/chat/${people.jonas.userId}`)
  await page.getByRole('button', { name: 'Retry' }).waitFor()
  await take('failed')
}
