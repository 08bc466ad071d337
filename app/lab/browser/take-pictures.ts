import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { registerPerson } from './account-steps.ts'
import { openChat, readTicks, say } from './chat-steps.ts'
import { createPerson } from './create-person.ts'
import { startTwoPeople } from './start-two-people.ts'
import { waitUntil } from './wait-until.ts'

const folder = fileURLToPath(new URL('../../../.github/pictures/', import.meta.url))
const phone = { width: 390, height: 844 }
const desktop = { width: 1280, height: 800 }

const talk = [
  ['ann', 'The ferry leaves at seven. Are you on board?'],
  ['ben', 'Just boarded. The harbour Wi-Fi ends behind the lighthouse, so I will answer late.'],
  ['ann', 'Doesn’t matter. Write when you like, it leaves by itself'],
  ['ben', 'Then here is the list: rope, two lamps, the blue tarp, coffee.'],
  ['ann', 'Got it all but the tarp ☕'],
  ['ben', 'Take the green one. See you on the island!'],
] as const

/** Draws the README's pictures of the running app, in both themes and both widths. */
const { server, ann, ben, close } = await startTwoPeople({
  viewport: desktop,
  deviceScaleFactor: 2,
})
await mkdir(folder, { recursive: true })
for (const name of ['carla', 'dario']) {
  const other = await createPerson(server, name)
  await registerPerson(other)
  await openChat(other.page, 'ann')
  await say(other.page, name === 'carla' ? 'Thank you for yesterday!' : 'The boat is fixed.')
  await waitUntil('it is delivered', async () => {
    const text = name === 'carla' ? 'Thank you for yesterday!' : 'The boat is fixed.'
    return (await readTicks(other.page, text)) === 'Delivered'
  })
  await other.close()
}
await openChat(ann.page, 'ben')
await openChat(ben.page, 'ann')
for (const [author, words] of talk) await say((author === 'ann' ? ann : ben).page, words)
await ann.page.getByRole('searchbox').fill('')
await ann.page.getByRole('button', { name: 'Not now' }).click()
await waitUntil('both have read', async () => {
  const ticks = [await readTicks(ann.page, talk[4][1]), await readTicks(ben.page, talk[5][1])]
  return ticks.every((each) => each === 'Read')
})
await ann.goOffline()
await say(ann.page, 'Packing the lamps now')

for (const theme of ['light', 'dark'] as const) {
  await ann.page.emulateMedia({ colorScheme: theme })
  await takePicture(ann.page, `conversation-${theme}`, desktop)
  await takePicture(ann.page, `phone-${theme}`, phone)
}
await close()

async function takePicture(page: Page, name: string, size: { width: number; height: number }) {
  await page.setViewportSize(size)
  await page.getByText('Packing the lamps now').last().waitFor()
  await page.screenshot({ path: `${folder}${name}.png`, animations: 'disabled' })
}
