import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, waitUntilKept } from './account-steps.ts'
import { openChat, untilSent } from './chat-steps.ts'
import { attach, type GivenFile, sendDialog } from './file-steps.ts'
import { findProblems } from './find-problems.ts'
import { createPerson } from './person.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({ keepsApp: true })
const { ann, ben, server } = people

beforeAll(async () => {
  await openChat(ben.page, 'ann')
  await openChat(ann.page, 'ben')
})
afterAll(() => people.close())

/** A red disc on nothing, larger than a sticker. */
async function drawDisc(page: Page): Promise<GivenFile> {
  const base64 = await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: 900, height: 900 })
    const context = canvas.getContext('2d')
    if (!context) throw new Error('There is no canvas here.')
    context.fillStyle = '#d02020'
    context.arc(450, 450, 430, 0, 7)
    context.fill()
    return canvas.toDataURL('image/png').split(',')[1] ?? ''
  })
  return { name: 'disc.png', mimeType: 'image/png', buffer: Buffer.from(base64, 'base64') }
}

const inChat = (page: Page) =>
  page.getByRole('article').getByRole('img', { name: 'disc.webp', exact: true })
const tray = (page: Page) => page.getByRole('dialog', { name: 'Stickers', exact: true })
const inTray = (page: Page) => tray(page).getByRole('button', { name: /^Send sticker/ })

async function openTray(page: Page) {
  await page.getByRole('button', { name: 'Emoji', exact: true }).click()
  // It opens where it was left.
  const stickers = page.getByRole('button', { name: 'Stickers', exact: true })
  await stickers.or(tray(page)).first().waitFor()
  if (await stickers.isVisible()) await stickers.click()
  await tray(page).waitFor()
}

/** The size, and how opaque the corner and the middle are. */
const readPicture = (picture: Locator) =>
  picture.evaluate(async (element) => {
    const image = element as HTMLImageElement
    await image.decode()
    const { naturalWidth: width, naturalHeight: height } = image
    const canvas = new OffscreenCanvas(width, height)
    const context = canvas.getContext('2d')
    context?.drawImage(image, 0, 0)
    const opacity = (x: number, y: number) => context?.getImageData(x, y, 1, 1).data[3]
    return { width, height, corner: opacity(1, 1), middle: opacity(width / 2, height / 2) }
  })

test('a picture becomes a sticker with its background kept, which stays in the tray', async () => {
  const { page } = ann
  await openTray(page)
  await tray(page)
    .getByText(/^Make a sticker of a picture/)
    .waitFor()
  expect(await findProblems(page)).toEqual([])
  await page.keyboard.press('Escape')
  await tray(page).waitFor({ state: 'detached' })
  await attach(page, 'Photos & Videos', [await drawDisc(page)])
  await sendDialog(page).getByRole('button', { name: 'Sticker' }).click()
  expect(await findProblems(page)).toEqual([])
  await sendDialog(page).getByRole('button', { name: 'Send', exact: true }).click()
  await inChat(ben.page).waitFor()
  expect(await readPicture(inChat(ben.page))).toEqual({
    width: 512,
    height: 512,
    corner: 0,
    middle: 255,
  })
  // Nothing is drawn behind it, and it is smaller than a photo.
  const opens = ben.page.getByRole('button', { name: 'Open picture disc.webp' })
  expect(await opens.locator('img').count()).toBe(1)
  expect(await opens.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe(
    'rgba(0, 0, 0, 0)',
  )
  expect((await opens.boundingBox())?.width).toBe(160)
  await openTray(page)
  await expect.poll(() => inTray(page).count()).toBe(1)
  expect(await findProblems(page)).toEqual([])
  await page.keyboard.press('Escape')
})

test('it is in the tray of another device too, and not among the starred messages', async () => {
  const phone = await createPerson(server, ann.username)
  await phone.page.goto('/login')
  await signIn(phone)
  await openChat(phone.page, 'ben')
  await openTray(phone.page)
  // Until it is here, its blur stands in its place.
  const picture = inTray(phone.page).locator('img[src^="blob:"]')
  await picture.waitFor()
  expect(await readPicture(picture)).toMatchObject({ corner: 0 })
  await inTray(phone.page).click()
  await expect.poll(() => inChat(ben.page).count()).toBe(2)
  await phone.page.goto('/chat/starred')
  await phone.page.getByText('No starred messages').waitFor()
  await phone.close()
})

test('P1: one sent from the tray without a network waits, outlives a reload, and arrives', async () => {
  const { page } = ann
  await waitUntilKept(ann)
  // The one from her phone has come, with its picture.
  await expect.poll(() => inChat(page).count()).toBe(2)
  await ann.goOffline()
  await openTray(page)
  await inTray(page).click()
  await expect.poll(() => inChat(page).count()).toBe(3)
  await page.reload()
  await expect.poll(() => inChat(page).count()).toBe(3)
  await ann.goOnline()
  await untilSent(page)
  await expect.poll(() => inChat(ben.page).count()).toBe(3)
})

test('one that somebody sent is added from its menu, and removed in the tray', async () => {
  const { page } = ben
  await openTray(page)
  expect(await inTray(page).count()).toBe(0)
  await page.keyboard.press('Escape')
  await inChat(page).first().click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Add to stickers' }).click()
  await openTray(page)
  await inTray(page).waitFor()
  await tray(page).getByRole('button', { name: 'Remove…' }).click()
  await tray(page).getByRole('button', { name: 'Remove sticker disc.webp' }).click()
  await expect.poll(() => tray(page).getByRole('button', { name: /disc/ }).count()).toBe(0)
})
