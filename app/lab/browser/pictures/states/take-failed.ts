import type { Stage } from '../stage/open-stage.ts'

/** A refused message, with its reason and the possible actions. */
export async function takeFailed({ page, people, take }: Stage): Promise<void> {
  await page.goto(`/chat/${people.jonas.userId}`)
  await page.getByRole('button', { name: 'Retry' }).waitFor()
  await take('failed')
}
