import { afterAll, beforeAll, expect, test } from 'vitest'
import { pushMessages, registerAccount } from '../server/server-accounts.ts'
import { readSession } from './account-steps.ts'
import { chatRow, composer, message, openChat, say, typeUntilSeen } from './chat-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
const { ann, ben, server } = people
const { page } = ann
const carl = await registerAccount(server.origin, 'carl')
const newest = page.getByRole('button', { name: /^Go to the newest message/ })
afterAll(() => people.close())

async function carlWrites(count: number) {
  const recipientId = (await readSession(ann)).userId
  await pushMessages({ origin: server.origin, author: carl, recipientId, count })
}

beforeAll(async () => {
  await carlWrites(400)
  // They come in pages: with the first ones alone the chat might end on the screen.
  await chatRow(page, 'carl').getByText('message 400 of').waitFor()
  await chatRow(page, 'carl').click()
  await newest.click()
  await newest.waitFor({ state: 'detached' })
})

/**
 * The topmost visible message and its distance from the list's top, in whole pixels, once the list
 * is still.
 */
async function readPlace(): Promise<{ words: string; topPx: number }> {
  return page.getByRole('log').evaluate(async (log) => {
    for (let still = 0, top = log.scrollTop; still < 30; ) {
      await new Promise(requestAnimationFrame)
      still = log.scrollTop === top ? still + 1 : 0
      top = log.scrollTop
    }
    const { top } = log.getBoundingClientRect()
    const articles = [...log.querySelectorAll('article')]
    const first = articles.find((article) => article.getBoundingClientRect().bottom > top)
    if (!first) throw new Error('No message is in sight.')
    const words = /message \d+ of \d+/.exec(first.textContent)?.[0] ?? ''
    return { words, topPx: Math.round(first.getBoundingClientRect().top - top) }
  })
}

/** The same place, within 5 px: scroll positions are whole pixels, rows are not. */
function aboutAt({ words, topPx }: { words: string; topPx: number }) {
  return { words, topPx: expect.closeTo(topPx, -1) }
}

async function scroll(byPx: number, times: number) {
  const box = await page.getByRole('log').boundingBox()
  if (!box) throw new Error('There are no messages.')
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  for (let time = 0; time < times; time++) {
    await page.mouse.wheel(0, byPx)
    await readPlace()
  }
}

async function openMedia() {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Media, files and links' }).click()
  await page.getByText('No photos or videos yet').waitFor()
}

const backToChat = () => page.getByRole('button', { name: 'Back to chat', exact: true }).click()

test.each([
  [1280, 800],
  [390, 844],
])(
  'at %d by %d the chat stands after its media where it stood before, however one goes back',
  async (width, height) => {
    await page.setViewportSize({ width, height })
    await page.goto('/chat')
    await chatRow(page, 'carl').click()
    await composer(page).waitFor()
    // Far enough up to lie outside the newest page.
    await scroll(-1_230, 6)
    const before = await readPlace()
    await openMedia()
    await backToChat()
    await newest.waitFor()
    expect(await readPlace()).toEqual(aboutAt(before))

    await openMedia()
    await page.getByRole('tab', { name: 'Links' }).click()
    await page.goBack()
    await newest.waitFor()
    expect(await readPlace()).toEqual(aboutAt(before))

    await openMedia()
    await page.reload()
    await page.getByText('No photos or videos yet').waitFor()
    await backToChat()
    await newest.waitFor()
    expect(await readPlace()).toEqual(aboutAt(before))
  },
)

test('what came in meanwhile is counted below, and a reload begins at the end again', async () => {
  await scroll(-700, 1)
  const before = await readPlace()
  await openMedia()
  await carlWrites(2)
  await page.goBack()
  await page.getByRole('button', { name: 'Go to the newest message, 2 new' }).waitFor()
  expect(await readPlace()).toEqual(aboutAt(before))
  await page.reload()
  await composer(page).waitFor()
  await page.getByRole('article').filter({ hasText: 'message 2 of 2,' }).waitFor()
  await newest.waitFor({ state: 'detached' })
})

test('a chat that stood at its end begins there', async () => {
  await openMedia()
  await carlWrites(1)
  await page.goBack()
  await page.getByRole('article').filter({ hasText: 'message 1 of 1,' }).waitFor()
  await newest.waitFor({ state: 'detached' })
})

test('typing below does not move a list that has just loaded older messages', async () => {
  const recipientId = (await readSession(ann)).userId
  await pushMessages({
    origin: server.origin,
    author: await readSession(ben),
    recipientId,
    count: 120,
  })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/chat')
  await chatRow(page, 'ben').getByText('message 120 of').waitFor()
  await openChat(page, 'ben')
  await newest.click()
  await newest.waitFor({ state: 'detached' })
  await scroll(-700, 3)
  const before = await readPlace()
  await openChat(ben.page, 'ann')
  await typeUntilSeen({ typist: ben.page, reader: page })
  expect(await readPlace()).toEqual(before)
})

test('a list at its end holds still under a pointer that is down, and goes on after the click', async () => {
  await newest.click()
  await newest.waitFor({ state: 'detached' })
  const pressed = page.getByRole('article').filter({ hasText: 'message 118 of 120' })
  // Ben typed in the test before: his bubble is a row, and the list moves when it goes.
  await page.getByRole('img', { name: 'ben is typing' }).waitFor({ state: 'detached' })
  await pressed.hover()
  const before = await readPlace()
  await page.mouse.down()
  await say(ben.page, 'under the finger')
  await message(page, 'under the finger').waitFor()
  expect(await readPlace()).toEqual(before)
  await page.mouse.up()
  await expect.poll(readPlace).not.toEqual(before)
  await newest.waitFor({ state: 'detached' })
})

test('after a right click, whose release the browser may keep, the list follows what comes', async () => {
  await page.getByRole('log').dispatchEvent('pointerdown', { button: 2 })
  const before = await readPlace()
  await say(ben.page, 'after a right click')
  await expect.poll(readPlace).not.toEqual(before)
})

test('a list that has just moved by itself stands afterwards where it stood when one left', async () => {
  await page.goto('/chat')
  await chatRow(page, 'carl').click()
  await composer(page).waitFor()
  await scroll(-1_230, 6)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  const media = page.getByRole('menuitem', { name: 'Media, files and links' })
  // In one task: the browser tells of a scroll only with its next frame.
  const words = await media.evaluate((item: HTMLElement) => {
    const log = document.querySelector('[role=log]')
    const top = log?.getBoundingClientRect().top ?? 0
    const articles = [...(log?.querySelectorAll('article') ?? [])]
    const first = articles.find((article) => article.getBoundingClientRect().top > top)
    if (!log || !first) throw new Error('No message is in sight.')
    log.scrollBy(0, first.getBoundingClientRect().top - top + 12)
    item.click()
    return /message \d+ of \d+/.exec(first.textContent)?.[0] ?? ''
  })
  await page.getByText('No photos or videos yet').waitFor()
  await backToChat()
  await newest.waitFor()
  await expect.poll(readPlace).toEqual(aboutAt({ words, topPx: -12 }))
})

test('a list that is measured late stands each time where it stood before', async () => {
  await page.goto('/chat')
  await chatRow(page, 'carl').click()
  await composer(page).waitFor()
  await scroll(-1_230, 6)
  const before = await readPlace()
  await page.addInitScript(() => {
    const Prompt = ResizeObserver
    class Late extends Prompt {
      constructor(tell: ResizeObserverCallback) {
        super((entries, self) => void setTimeout(() => tell(entries, self), 400))
      }
    }
    window.ResizeObserver = Late
  })
  for (let time = 0; time < 4; time++) {
    await openMedia()
    await page.reload()
    await page.getByText('No photos or videos yet').waitFor()
    await backToChat()
    await newest.waitFor()
    await expect.poll(readPlace).toEqual(aboutAt(before))
  }
})
