import { afterAll, beforeAll, expect, test } from 'vitest'
import { chatRow, openChat, say } from './chat-steps.ts'
import { startAnnAlone } from './start-two-people.ts'

const people = await startAnnAlone({
  hasTouch: true,
  viewport: { width: 390, height: 844 },
})
const { page } = people.ann
const within = { timeout: 30_000 }
const drawer = page.getByRole('dialog', { name: 'Main' })
const menu = page.getByRole('menu')
const readPath = () => new URL(page.url()).pathname

beforeAll(async () => {
  await openChat(page, 'ben')
  await say(page, 'the lamp is lit')
})

afterAll(() => people.close())

async function openDrawer() {
  await page.getByRole('button', { name: 'Open menu' }).click()
  await drawer.waitFor()
  await untilLayered()
}

async function chooseOnRow(name: string) {
  await chatRow(page, 'ben').click({ button: 'right' })
  await page.getByRole('menuitem', { name, exact: true }).click()
}

/**
 * Every open layer has an entry in the browser's history. One that has just closed, as the drawer does before a question
 * comes, may still be on its way out of it: what stays for some frames is that of the layer which is open.
 */
async function untilLayered() {
  const readLayers = () =>
    page.evaluate(async () => {
      const counts = new Set<number>()
      for (let frame = 0; frame < 5; frame++) {
        counts.add(history.state?.backLayers ?? 0)
        await new Promise(requestAnimationFrame)
      }
      return [...counts]
    })
  await expect.poll(readLayers, within).toEqual([1])
}

/** Closing without Back removes the entry from the browser's history a moment later. */
async function untilHistoryRests() {
  await expect.poll(() => page.evaluate('history.state?.backLayers ?? 0'), within).toBe(0)
}

/** Two steps: to the chat with this path, and to the list. */
async function goBackOverChat(chat: string) {
  await page.goBack()
  await page.getByRole('textbox', { name: 'Type a message' }).waitFor()
  await untilHistoryRests()
  expect(readPath()).toBe(chat)
  await page.goBack()
  await chatRow(page, 'ben').waitFor()
  expect(readPath()).toBe('/chat')
}

test('Back closes the drawer, a menu, a dialog and a question, and only then leaves the list', async () => {
  await page.goto('/settings')
  await page.goto('/chat')
  await openDrawer()
  await page.goBack()
  await drawer.waitFor({ state: 'detached' })
  await chatRow(page, 'ben').click({ button: 'right' })
  await menu.waitFor()
  await untilLayered()
  await page.goBack()
  await menu.waitFor({ state: 'detached' })
  for (const [open, name] of [
    [() => chooseOnRow('Delete'), 'Are you sure you want to delete this conversation?'],
    [() => page.getByRole('button', { name: 'New chat' }).click(), 'New chat'],
    [askSignOut, 'Log out?'],
  ] as const) {
    await untilHistoryRests()
    await open()
    const dialog = page.getByRole('dialog', { name })
    await dialog.waitFor()
    await untilLayered()
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
    expect(readPath()).toBe('/chat')
  }
  await untilHistoryRests()
  await page.goBack()
  await page.waitForURL('**/settings')
})

async function askSignOut() {
  await openDrawer()
  await drawer.getByRole('button', { name: 'Log out' }).click()
}

test('Back closes the menu of the header before it leaves the chat', async () => {
  await page.goto('/chat')
  await chatRow(page, 'ben').click()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Go to date' }).waitFor()
  await untilLayered()
  await page.goBack()
  await menu.waitFor({ state: 'detached' })
  expect(readPath()).toMatch(/^\/chat\/.+/)
  await untilHistoryRests()
  await page.goBack()
  await page.waitForURL('**/chat')
})

test('the drawer shows chats, status, profile and all of Menu at once, and Back from there leads to the list', async () => {
  await page.goto('/chat')
  for (const [name, path, title] of [
    ['Status', '/chat/status', 'Status'],
    ['Profile: ann', '/chat', 'Profile'],
  ] as const) {
    await openDrawer()
    await drawer.getByRole('link', { name }).click()
    await expect.poll(readPath, within).toBe(path)
    await drawer.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await page.goBack()
    await expect.poll(readPath, within).toBe('/chat')
    await chatRow(page, 'ben').waitFor()
    await untilHistoryRests()
  }
  await openDrawer()
  expect(await drawer.getByText('Menu', { exact: true }).count()).toBe(0)
  expect(await drawer.getByText('Starred', { exact: false }).count()).toBe(0)
  await drawer.getByRole('button', { name: 'Calls' }).click()
  await page.getByText('Your recent calls will appear here.').waitFor()
  await openDrawer()
  await drawer.getByRole('link', { name: 'Chats' }).click()
  await chatRow(page, 'ben').waitFor()
  expect(readPath()).toBe('/chat')
})

test('a tap beside the drawer closes it', async () => {
  await page.goto('/chat')
  await openDrawer()
  await page.touchscreen.tap(380, 600)
  await drawer.waitFor({ state: 'detached' })
  await untilHistoryRests()
  expect(readPath()).toBe('/chat')
})

test('a tap on the header right behind a menu that closes opens the profile once, one step from the chat', async () => {
  await page.goto('/chat')
  await chatRow(page, 'ben').click()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await menu.waitFor()
  await untilLayered()
  const chat = readPath()
  await page.evaluate(() => {
    const keyPress = { key: 'Escape', bubbles: true, cancelable: true }
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', keyPress))
    const header = document.querySelector<HTMLElement>('[aria-label="Contact info: ben"]')
    header?.click()
    header?.click()
  })
  await page.getByRole('region', { name: 'Contact info' }).waitFor()
  await menu.waitFor({ state: 'detached' })
  expect(readPath()).toBe(`${chat}/info`)
  await goBackOverChat(chat)
})

test('the way from the menu to media leaves the chat behind it, and nothing else', async () => {
  await page.goto('/chat')
  await chatRow(page, 'ben').click()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await menu.waitFor()
  await untilLayered()
  const chat = readPath()
  await page.getByRole('menuitem', { name: 'Media, files and links' }).click()
  await page.getByText('No photos or videos yet').waitFor()
  await menu.waitFor({ state: 'detached' })
  expect(readPath()).toBe(`${chat}/media`)
  await goBackOverChat(chat)
})
