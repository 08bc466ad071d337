import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { keepSignIn, waitUntilKept } from './account-steps.ts'
import { message, openChat, readWords, say } from './chat-steps.ts'
import {
  attach,
  dragFiles,
  drawPhoto,
  sendDialog,
  writeAnimation,
  writeText,
} from './file-steps.ts'
import { findProblems } from './find-problems.ts'
import { createLook } from './looks/look.ts'
import { chooseOn, forwardDialog, hasFocus } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({
  keepsApp: true,
  hasOwnBrowser: true,
  areAlike: true,
})
const { ann, ben } = people

beforeAll(async () => {
  await keepSignIn(ann)
  await openChat(ben.page, 'ann')
  await openChat(ann.page, 'ben')
})
afterAll(() => people.close())

const picture = (page: Page, words: string) =>
  message(page, words).getByRole('button', { name: 'Open picture harbour.jpg' })

/** The pictures in messages that are not sent yet. */
const waitingPictures = (page: Page) =>
  page
    .getByRole('article')
    .filter({ has: page.getByRole('img', { name: 'Waiting to be sent' }) })
    .getByRole('img', { name: 'the harbour' })

/** Is it drawn, and what is its natural width? */
const readWidth = async (page: Page, words: string) =>
  await picture(page, words)
    .getByRole('img', { name: words })
    .evaluate((element) => (element as HTMLImageElement).naturalWidth)

test('P1: a photo and a document sent offline are shown at once, outlive a kill of the browser, arrive in order, and are read offline', async () => {
  await say(ann.page, 'look at this')
  await message(ben.page, 'look at this').waitFor()
  await waitUntilKept(ann)
  await waitUntilKept(ben)
  await ann.goOffline()
  await attach(ann.page, 'Photos & Videos', [await drawPhoto(ann.page)])
  // The letters typed at once are the caption.
  await expect.poll(() => hasFocus(sendDialog(ann.page).getByRole('textbox'))).toBe(true)
  await ann.page.keyboard.type('the harbour')
  expect(await findProblems(ann.page)).toEqual([])
  await sendDialog(ann.page).getByRole('button', { name: 'Send' }).click()
  await expect.poll(() => readWidth(ann.page, 'the harbour')).toBe(800)
  await message(ann.page, 'the harbour').getByText('Waiting to upload').waitFor()
  await say(ann.page, 'and the way there')
  await attach(ann.page, 'Document', [writeText('map.txt', 'a map'), writeText('old.txt', 'no')])
  await sendDialog(ann.page).getByRole('button', { name: 'Remove old.txt' }).click()
  await expect.poll(() => hasFocus(sendDialog(ann.page).getByRole('textbox'))).toBe(true)
  await ann.page.keyboard.press('Enter')
  await ann.page.getByRole('button', { name: 'Download map.txt' }).waitFor()
  const address = ann.page.url()
  await ann.killBrowser()
  await ann.profile.context.setOffline(true)
  await ann.page.goto(address)
  const said = ['look at this', 'the harbour', 'and the way there', 'Document']
  await expect.poll(() => readWords(ann.page)).toEqual(said)
  await expect.poll(() => readWidth(ann.page, 'the harbour')).toBe(800)

  await ann.goOnline()
  await expect.poll(() => readWords(ben.page)).toEqual(said)
  await expect.poll(() => readWidth(ben.page, 'the harbour')).toBe(800)
  const blur = message(ben.page, 'the harbour').locator('img[src^="data:image/"]')
  await expect.poll(() => blur.count()).toBe(1)
  const downloading = ben.page.waitForEvent('download')
  await ben.page.getByRole('button', { name: 'Download map.txt' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('map.txt')
  expect(await readFile(await download.path(), 'utf8')).toBe('a map')

  await ben.goOffline()
  await ben.page.reload()
  await expect.poll(() => readWidth(ben.page, 'the harbour')).toBe(800)
  expect(await findProblems(ben.page)).toEqual([])
  await ben.goOnline()
  expect([...ann.problems, ...ben.problems]).toEqual([])
})

test('a picture opens over the screen, is saved from there, and Escape leads back to it', async () => {
  await picture(ben.page, 'the harbour').click()
  const viewer = ben.page.getByRole('dialog', { name: 'harbour.jpg' })
  await viewer.getByRole('img').waitFor()
  expect(await findProblems(ben.page)).toEqual([])
  const downloading = ben.page.waitForEvent('download')
  await viewer.getByRole('button', { name: 'Download' }).click()
  expect((await downloading).suggestedFilename()).toBe('harbour.jpg')
  await ben.page.keyboard.press('Escape')
  await viewer.waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(picture(ben.page, 'the harbour'))).toBe(true)
})

test('P1: a picture is forwarded with its caption, also offline, and shown at once', async () => {
  await ben.goOffline()
  await chooseOn(ben.page, 'the harbour', 'Forward')
  await forwardDialog(ben.page).getByRole('checkbox', { name: 'ann' }).check()
  await forwardDialog(ben.page).getByRole('button', { name: 'Forward' }).click()
  const waiting = waitingPictures(ben.page)
  await expect
    .poll(() => waiting.evaluate((image) => (image as HTMLImageElement).naturalWidth))
    .toBe(800)
  await ben.goOnline()
  const pictures = ann.page.getByRole('button', { name: 'Open picture harbour.jpg' })
  await expect.poll(() => pictures.count()).toBe(2)
  await waiting.waitFor({ state: 'detached' })
})

test('files can be dropped on the chat, which says so, and pasted into it', async () => {
  const { page } = ann
  const files = [writeText('dropped.txt', 'from the desk')]
  await dragFiles(page, files, ['dragover'])
  await page.getByText('Drop files here to send them').waitFor()
  await dragFiles(page, files, ['drop'])
  await page.getByText('Drop files here to send them').waitFor({ state: 'detached' })
  await sendDialog(page).getByText('dropped.txt').waitFor()
  await page.keyboard.press('Escape')
  await sendDialog(page).waitFor({ state: 'detached' })
  await dragFiles(page, [await drawPhoto(page, { name: 'pasted.jpg' })], ['paste'])
  await sendDialog(page).getByText('pasted.jpg').waitFor()
  await page.keyboard.press('Escape')
})

test('P6: a file that waits can be cancelled; an empty one is refused with words before it is sent', async () => {
  const { page } = ann
  await ann.goOffline()
  await attach(page, 'Document', [writeText('wrong.txt', 'the wrong one')])
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Download wrong.txt' }).waitFor()
  await page.getByRole('article').last().getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Download wrong.txt' }).waitFor({ state: 'detached' })
  await attach(page, 'Document', [writeText('empty.txt', '')])
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await sendDialog(page).getByText('“empty.txt” is empty. Choose another file.').waitFor()
  await page.keyboard.press('Escape')
  await ann.goOnline()
})

test('P6: a file that is gone when it is sent is refused with words that say so', async () => {
  const { page } = ann
  const folder = await mkdtemp(join(tmpdir(), 'petrel-test-'))
  const path = join(folder, 'moved.txt')
  await writeFile(path, 'here a moment ago')
  await page.getByRole('button', { name: 'Attach' }).click()
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Document', exact: true }).click()
  await (await choosing).setFiles(path)
  await sendDialog(page).getByText('moved.txt').waitFor()
  await rm(folder, { recursive: true })
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await sendDialog(page).getByText("“moved.txt” can't be read. Choose another file.").waitFor()
  await page.keyboard.press('Escape')
})

test('what was not stored yet when the dialog is left is not sent, and files chosen since stay chosen', async () => {
  const { page } = ann
  const photo = await drawPhoto(page, { name: 'second.jpg' })
  await page.evaluate(() => {
    const create = globalThis.createImageBitmap
    const held = new Promise<void>((resolve) => Object.assign(globalThis, { letGo: resolve }))
    globalThis.createImageBitmap = (async (picture: Blob) => {
      await held
      globalThis.createImageBitmap = create
      return await create(picture)
    }) as typeof create
  })
  await attach(page, 'Document', [writeText('first.txt', 'goes'), photo])
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Download first.txt' }).waitFor()
  await sendDialog(page).getByRole('button', { name: 'Cancel' }).click()
  await sendDialog(page).waitFor({ state: 'detached' })
  await attach(page, 'Document', [writeText('third.txt', 'goes too')])
  await page.evaluate('letGo()')
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Download third.txt' }).waitFor()
  expect(await page.getByRole('button', { name: 'second.jpg' }).count()).toBe(0)
})

test('the first file that is left answers the message that is replied to', async () => {
  const { page } = ann
  await say(page, 'which one?')
  await chooseOn(page, 'which one?', 'Reply')
  await attach(page, 'Document', [writeText('not-this.txt', 'no'), writeText('this.txt', 'yes')])
  await sendDialog(page).getByRole('button', { name: 'Remove not-this.txt' }).click()
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await page
    .getByRole('article')
    .filter({ has: page.getByRole('button', { name: 'Download this.txt' }) })
    .getByText('which one?')
    .waitFor()
})

test('the files before they are sent, in bubbles, waiting and over the screen fit every width and both themes', async () => {
  const { page } = ann
  const look = await createLook(page)
  const long = writeText(`${'a-very-long-name-'.repeat(8)}.txt`, 'long')
  await ann.goOffline()
  await attach(page, 'Document', [await drawPhoto(page, { name: 'tall.jpg', height: 3000 }), long])
  await look('files before sending')
  await sendDialog(page).getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: `Download ${long.name}` }).waitFor()
  await look('files that wait')
  // The strip over the chat comes two seconds after the screen became narrow, and leads to what waits.
  await page.setViewportSize({ width: 390, height: 844 })
  const waits = page.getByRole('status').getByRole('link', { name: /waiting$/ })
  await waits.waitFor()
  const { height } = must(await waits.boundingBox(), 'a link')
  expect(Math.round(height)).toBeGreaterThanOrEqual(40)
  await page.setViewportSize({ width: 1280, height: 800 })
  await ann.goOnline()
  // The picture moves while the lines about the uploads go.
  await expect.poll(() => page.locator('[data-status="sending"]').count()).toBe(0)
  await page.getByRole('button', { name: 'Open picture tall.jpg' }).click()
  await page.getByRole('dialog', { name: 'tall.jpg' }).getByRole('img').waitFor()
  await look('a picture over the screen')
  await page.keyboard.press('Escape')
})

test('a photo is shrunk and loses where it was taken; as a document it stays what it is', async () => {
  const photo = await drawPhoto(ann.page, { name: 'place.jpg' })
  // A camera's bytes after the first marker, with words in place of the coordinates.
  const told = Buffer.from('Exif\0\0at the old lighthouse')
  const head = Buffer.from([0xff, 0xe1, 0, told.length + 2])
  const parts = [photo.buffer.subarray(0, 2), head, told, photo.buffer.subarray(2)]
  const buffer = Buffer.concat(parts.map((part) => new Uint8Array(part)))
  const readBytes = async (words: string) => {
    await message(ben.page, words).getByRole('button', { name: 'Open picture place.jpg' }).click()
    const downloading = ben.page.waitForEvent('download')
    await ben.page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()
    const bytes = await readFile(await (await downloading).path())
    await ben.page.keyboard.press('Escape')
    return bytes
  }
  for (const [action, words] of [
    ['Photos & Videos', 'shrunk'],
    ['Document', 'untouched'],
  ] as const) {
    await attach(ann.page, action, [{ ...photo, buffer }])
    await sendDialog(ann.page).getByRole('textbox').fill(words)
    await sendDialog(ann.page).getByRole('button', { name: 'Send' }).click()
    await message(ben.page, words).waitFor()
  }
  expect((await readBytes('untouched')).toString('latin1')).toBe(buffer.toString('latin1'))
  expect((await readBytes('shrunk')).includes('lighthouse')).toBe(false)
})

test('a picture that moves stays what it is', async () => {
  const animation = writeAnimation('flag.png')
  await attach(ann.page, 'Photos & Videos', [animation])
  await sendDialog(ann.page).getByRole('textbox').fill('moving')
  await sendDialog(ann.page).getByRole('button', { name: 'Send' }).click()
  await message(ben.page, 'moving').getByRole('button', { name: 'Open picture flag.png' }).click()
  const downloading = ben.page.waitForEvent('download')
  await ben.page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()
  const bytes = await readFile(await (await downloading).path())
  expect(bytes.toString('hex')).toBe(animation.buffer.toString('hex'))
})
