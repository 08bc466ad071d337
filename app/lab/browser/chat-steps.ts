import type { Locator, Page } from 'playwright-core'
import { waitUntil } from './wait-until.ts'

export interface ShownMessage {
  id: string
  author: string
  content: string
}

/** Finds a person in the search box and opens the conversation. */
export async function openChat(page: Page, username: string) {
  await page.getByRole('searchbox', { name: 'Search or start a new chat' }).fill(username)
  await page.getByRole('link', { name: username }).first().click()
  await page.locator('header').getByRole('heading', { level: 2, name: username }).waitFor()
  await composer(page).waitFor()
}

/** A person's row in the conversation list. */
export function chatRow(page: Page, username: string): Locator {
  return page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name: username })
}

/**
 * Waits until the page is connected, by the row of a person who is online. Where it takes 2 s to connect, a line above
 * the list says so, and moves the rows when it comes and goes.
 */
export async function untilLive(page: Page, row: Locator) {
  // The dot comes with the connection.
  await row.getByText('online', { exact: true }).waitFor({ state: 'attached' })
  await page.getByText('Connecting…').waitFor({ state: 'detached' })
}

export function composer(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Type a message' })
}

/** Types and sends, by Enter where there is a keyboard; resolves when the bubble appears, and the field is free. */
export async function say(page: Page, text: string) {
  await composer(page).fill(text)
  const hasKeyboard = await page.evaluate(
    () => matchMedia('(hover: hover) and (pointer: fine)').matches,
  )
  if (hasKeyboard) await composer(page).press('Enter')
  else await page.getByRole('button', { name: 'Send', exact: true }).click()
  await message(page, text).waitFor()
  await untilSent(page)
}

/**
 * Waits until the composer has let go of what was sent. The bubble appears a moment before: until
 * then the field still holds the text, and after a reply it takes the focus once more.
 */
export async function untilSent(page: Page) {
  await waitUntil('the field is empty', async () => (await composer(page).inputValue()) === '')
}

/**
 * Presses keys until the other person sees that, which each press shows for a moment: 'typing...' in the header, or
 * another sign of it.
 */
export async function typeUntilSeen({
  typist,
  reader,
  sign = presence(reader).filter({ hasText: 'typing...' }),
}: {
  typist: Page
  reader: Page
  sign?: Locator
}) {
  // It looks all the time: who looks after each press may come too late for every one of them.
  let isSeen = false
  const seeing = sign.waitFor().then(() => {
    isSeen = true
  })
  const pressing = waitUntil('somebody is seen typing', async () => {
    if (!isSeen) await composer(typist).press('x')
    return isSeen
  })
  await Promise.all([seeing, pressing])
}

export function message(page: Page, text: string): Locator {
  return page.getByRole('article').filter({ has: page.getByText(text, { exact: true }) })
}

/** An own message's ticks: 'Waiting to be sent', 'Sent', 'Delivered', 'Read' or 'Not sent'. */
export async function readTicks(page: Page, text: string): Promise<string | null> {
  return message(page, text).locator('[data-status]').getAttribute('aria-label')
}

/** The drawn bubbles, from the top. */
export async function readMessages(page: Page): Promise<ShownMessage[]> {
  return page.getByRole('article').evaluateAll((articles) =>
    articles.map((article) => {
      const label = article.getAttribute('aria-label') ?? ''
      const [, author = '', content = ''] =
        /^(.+?), \d\d:\d\d(?:, [^:]*)?: ([\s\S]*)$/.exec(label) ?? []
      return { id: article.getAttribute('data-message-id') ?? '', author, content }
    }),
  )
}

/** The drawn bubbles' texts, from the top. */
export async function readWords(page: Page): Promise<string[]> {
  return (await readMessages(page)).map(({ content }) => content)
}

/** The other person's state in the open header: 'online', 'typing...' or last seen. */
export async function readPresence(page: Page): Promise<string | null> {
  return presence(page).textContent()
}

function presence(page: Page): Locator {
  return page
    .locator('header')
    .filter({ has: page.getByRole('heading', { level: 2 }) })
    .locator('p')
}

/** How often the page has received something on a socket that it opens from now on. */
export function countFrames(page: Page): () => number {
  let heard = 0
  page.on('websocket', (socket) => socket.on('framereceived', () => heard++))
  return () => heard
}
