import { afterAll, expect, test } from 'vitest'
import { linkAccount } from './channel-steps.ts'
import { openChat } from './chat-steps.ts'
import { startOperator } from './start-operator.ts'

const operator = await startOperator()
const { emulator } = operator
const { page } = operator.ann
afterAll(() => operator.close())

/** A sticker of one pixel. */
const base64 = 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'

test('a sticker opens as itself, alone and among the pictures of the chat', async () => {
  await page.goto('/chat')
  await linkAccount(page)
  const sheena = { from: '+15555550100', name: 'Sheena' }
  emulator.inbound({ ...sheena, type: 'sticker', file: { base64, mimeType: 'image/webp' } })
  await openChat(page, 'Sheena')
  const stickers = page.locator('[data-message-id]').getByRole('button', { name: /^Open picture/ })
  await stickers.first().click()
  const gallery = page.getByRole('dialog')
  await gallery.getByText('1 of 1').first().waitFor()
  // It hears keys once it has the focus: its part is loaded for this first one, and is drawn a moment before.
  await page.locator('[role="dialog"]:focus-within').waitFor()
  await page.keyboard.press('Escape')
  await gallery.waitFor({ state: 'detached' })

  emulator.inbound({ ...sheena, type: 'image', file: { sample: 'image' } })
  await expect.poll(() => stickers.count()).toBe(2)
  await stickers.first().click()
  await gallery.getByText('1 of 2').first().waitFor()
  await page.keyboard.press('ArrowRight')
  await gallery.getByText('2 of 2').first().waitFor()
})
