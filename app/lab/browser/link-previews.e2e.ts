import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerPerson } from './account-steps.ts'
import { chatRow, composer, openChat, say } from './chat-steps.ts'
import { findProblems } from './find-problems.ts'
import { ownWords } from './message-steps.ts'
import { createPerson } from './person.ts'
import { startBuiltServer } from './start-built-server.ts'

/** A red picture of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
)
const asked: string[] = []
const site = createServer(({ url = '' }, response) => {
  asked.push(url)
  if (url === '/lamp.png') {
    response.writeHead(200, { 'content-type': 'image/png' }).end(new Uint8Array(png))
  } else {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<title>The lamp of ${url}</title><meta name="description" content="It is lit at dusk.">
        <meta property="og:image" content="/lamp.png">`)
  }
})
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
const host = `127.0.0.1:${(site.address() as AddressInfo).port}`
const server = await startBuiltServer({ env: { LINK_PREVIEWS: `on ${host}` } })
const [ann, ben] = await Promise.all([createPerson(server, 'ann'), createPerson(server, 'ben')])
const { page } = ann
const remove = page.getByRole('button', { name: 'Remove preview' })
const cards = (on = page) => on.getByRole('article').getByRole('link', { name: /The lamp of/ })

beforeAll(async () => {
  await Promise.all([registerPerson(ann), registerPerson(ben)])
  await openChat(page, 'ben')
})

afterAll(async () => {
  await Promise.all([ann.close(), ben.close()])
  await server.close()
  site.close()
})

test('what is behind a link stands above the field, goes with the message, and the reader asks nobody for it', async () => {
  await composer(page).fill(`look: http://${host}/harbour`)
  await remove.waitFor()
  expect(await findProblems(page)).toEqual([])
  await composer(page).press('Enter')
  await cards().waitFor()
  await remove.waitFor({ state: 'detached' })
  await openChat(ben.page, 'ann')
  const card = cards(ben.page)
  await card.getByText('The lamp of /harbour').waitFor()
  await card.getByText('It is lit at dusk.').waitFor()
  await card.getByText(host, { exact: true }).waitFor()
  expect(await card.getAttribute('href')).toBe(`http://${host}/harbour`)
  await expect
    .poll(() => card.locator('img').evaluate((img: HTMLImageElement) => img.naturalWidth))
    .toBe(1)
  expect(asked).toEqual(['/harbour', '/lamp.png'])
  expect(await findProblems(ben.page)).toEqual([])
})

test('removed before sending it does not go; an edit that takes the address away takes the preview too', async () => {
  await composer(page).fill(`again: http://${host}/quay`)
  await remove.click()
  await remove.waitFor({ state: 'detached' })
  await composer(page).press('Enter')
  await ownWords(page, `again: http://${host}/quay`).waitFor()
  expect(await cards().count()).toBe(1)
  // Over the address or its preview the browser's own menu opens.
  await ownWords(page, `look: http://${host}/harbour`).click({
    button: 'right',
    position: { x: 4, y: 4 },
  })
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click()
  await composer(page).fill('look there')
  await composer(page).press('Enter')
  await ownWords(page, 'look there').waitFor()
  await cards().waitFor({ state: 'detached' })
})

test('without a network, or turned off, a message with a link goes as it is', async () => {
  const before = asked.length
  await ann.goOffline()
  await say(page, `offline: http://${host}/offline`)
  await ann.goOnline()
  await ownWords(ben.page, `offline: http://${host}/offline`).waitFor()
  await page.goto('/settings/privacy')
  const choice = page.getByRole('switch', { name: 'Link previews' })
  await choice.click()
  await expect.poll(() => choice.getAttribute('aria-checked')).toBe('false')
  await page.goto('/chat')
  await chatRow(page, 'ben').click()
  await composer(page).fill(`off: http://${host}/off`)
  // Longer than a device waits before it asks: what another address would have shown by now.
  await openChat(ben.page, 'ann')
  await composer(ben.page).fill(`see http://${host}/of-ben`)
  await ben.page.getByRole('button', { name: 'Remove preview' }).waitFor()
  await composer(page).press('Enter')
  await ownWords(ben.page, `off: http://${host}/off`).waitFor()
  expect(asked.slice(before)).toEqual(['/of-ben', '/lamp.png'])
})
