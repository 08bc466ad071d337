import { waitUntilKept } from '../../account-steps.ts'
import type { Stage } from '../stage/open-stage.ts'

/** Items shared by another app, and the choice of a recipient. */
export async function takeShare({ page, ann, take }: Stage): Promise<void> {
  await waitUntilKept(ann)
  await page.goto('/chat')
  await page.evaluate(() => {
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', action: '/share', enctype: 'multipart/form-data' })
    const words = { title: 'Tides', text: 'High water at six', url: 'https://tides.example.org' }
    for (const [name, value] of Object.entries(words)) {
      form.append(Object.assign(document.createElement('input'), { name, value }))
    }
    document.body.append(form)
    form.submit()
  })
  await page.getByRole('heading', { name: 'Share to…' }).waitFor()
  await take('share')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.waitForURL('**/chat')
}
