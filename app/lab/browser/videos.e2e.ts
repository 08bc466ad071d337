import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chatRow, message, openChat, say } from './chat-steps.ts'
import { attach, drawPhoto, type GivenFile, recordVideo, sendDialog } from './file-steps.ts'
import { findProblems } from './find-problems.ts'
import { createLook } from './looks/look.ts'
import { recordFrames } from './looks/record-frames.ts'
import { hasFocus } from './message-steps.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople()
const { ann, ben } = people
const { page } = ann
const named = (name: string) => page.getByRole('dialog', { name })
const loads = (place: Locator, name: string) =>
  place.getByRole('button', { name: new RegExp(`^Load video ${name}, \\d.*B$`) })
const blurOf = (place: Locator) => place.locator('img[src^="data:image/"]')

beforeAll(async () => {
  await openChat(ben.page, 'ann')
  await openChat(page, 'ben')
})
afterAll(() => people.close())

async function send(file: GivenFile, caption: string, options: { isSeen?: boolean } = {}) {
  await attach(ben.page, 'Photos & Videos', [file])
  if (options.isSeen) {
    const chosen = sendDialog(ben.page).locator('video')
    await expect.poll(() => readHalves(chosen)).toEqual(['red', 'blue'])
    expect(await findProblems(ben.page)).toEqual([])
  }
  await sendDialog(ben.page).getByRole('textbox').fill(caption)
  await sendDialog(ben.page).getByRole('button', { name: 'Send' }).click()
  await message(page, caption).waitFor()
}

/** The strongest colour in the middle of each half. */
async function readHalves(picture: Locator): Promise<string[]> {
  return picture.evaluate((element) => {
    const [wide, high] = [80, 60]
    const canvas = Object.assign(document.createElement('canvas'), { width: wide, height: high })
    const context = canvas.getContext('2d')
    context?.drawImage(element as HTMLImageElement, 0, 0, wide, high)
    return [0.25, 0.75].map((at) => {
      const pixel = context?.getImageData(wide * at, high / 4, 1, 1).data ?? []
      const [red = 0, green = 0, blue = 0] = pixel
      if (red > green && red > blue) return 'red'
      return green > blue ? 'green' : 'blue'
    })
  })
}

/** Presses Tab until the element has focus, like a keyboard user. */
async function tabTo(control: Locator) {
  for (let presses = 0; presses < 12; presses++) {
    if (await hasFocus(control)) return
    await page.keyboard.press('Tab')
  }
  expect(await hasFocus(control)).toBe(true)
}

test('a video shows its first frame blurred in its place, which stays as it is when it is fetched on request', async () => {
  const walk = await recordVideo(ben.page, { name: 'walk.webm', width: 480, height: 320 })
  await send(walk, 'a walk', { isSeen: true })
  await say(ben.page, 'after the walk')
  await message(page, 'after the walk').waitFor()
  const bubble = message(page, 'a walk')
  await expect.poll(() => readHalves(blurOf(bubble))).toEqual(['red', 'blue'])
  // Of one moment: the list may move between two calls.
  const places = () =>
    page.getByRole('article').evaluateAll((articles) =>
      articles.map((article) => {
        const { x, y, width, height } = article.getBoundingClientRect()
        return { x, y, width, height }
      }),
    )
  const box = await loads(bubble, 'walk.webm').boundingBox()
  expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(480 / 320, 1)
  expect(await findProblems(page)).toEqual([])
  // The list has come to rest: it follows what arrives, and moves once more when a typist's row goes.
  await page.getByRole('img', { name: 'ben is typing' }).waitFor({ state: 'detached' })
  let before = await places()
  await expect
    .poll(async () => {
      const earlier = before
      before = await places()
      return JSON.stringify(before) === JSON.stringify(earlier)
    })
    .toBe(true)
  await loads(bubble, 'walk.webm').focus()
  await page.keyboard.press('Enter')
  const player = bubble.locator('video')
  await expect.poll(() => player.evaluate((video: HTMLVideoElement) => video.videoWidth)).toBe(480)
  await expect.poll(() => hasFocus(player)).toBe(true)
  expect(await places()).toEqual(before)
})

test('a video that the browser of its author can’t decode is sent without a preview, and can be saved', async () => {
  const buffer = Buffer.from(
    `\0\0\0\x18ftypisom\0\0\0\0isomavc1${'no frame '.repeat(600)}`,
    'latin1',
  )
  await send({ name: 'strange.mp4', mimeType: 'video/mp4', buffer }, 'a strange one')
  const bubble = message(page, 'a strange one')
  await loads(bubble, 'strange.mp4').click()
  expect(await blurOf(bubble).count()).toBe(0)
  await bubble.getByRole('button', { name: 'Download strange.mp4' }).waitFor()
})

test('a video between pictures is reached by keys in the gallery, fetched on request, and plays', async () => {
  await send(await drawPhoto(ben.page, { name: 'before.jpg' }), 'before it')
  await send(await recordVideo(ben.page, { name: 'sail.webm' }), 'the sail')
  await send(await drawPhoto(ben.page, { name: 'behind.jpg' }), 'behind it')
  await page.getByRole('button', { name: 'Open picture behind.jpg' }).focus()
  await page.keyboard.press('Enter')
  await named('behind.jpg').getByRole('img', { name: 'behind it' }).waitFor()
  await page.keyboard.press('ArrowLeft')
  const sail = named('sail.webm')
  await sail.getByText(/ · 4 of 5$/).waitFor()
  await expect.poll(() => readHalves(blurOf(sail))).toEqual(['red', 'blue'])
  expect(await sail.locator('video').count()).toBe(0)
  expect(await findProblems(page)).toEqual([])
  await tabTo(loads(sail, 'sail.webm'))
  await page.keyboard.press('Enter')
  const player = sail.locator('video')
  const readPlayed = () => player.evaluate((video: HTMLVideoElement) => video.currentTime)
  await expect.poll(readPlayed).toBeGreaterThan(0)
  await expect.poll(() => hasFocus(player)).toBe(true)
  // Its keys belong to the player until the focus moves on.
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Shift+Tab')
  await sail.waitFor()
  await page.keyboard.press('ArrowLeft')
  await named('before.jpg').getByRole('img', { name: 'before it' }).waitFor()
  await ann.goOffline()
  await page.keyboard.press('ArrowRight')
  await player.waitFor()
  await page.keyboard.press('ArrowRight')
  await named('behind.jpg').getByRole('img', { name: 'behind it' }).waitFor()
  await page.keyboard.press('Escape')
  await ann.goOnline()
})

test('the tab Media and the gallery show a video by its first frame, and fit every width and both themes', async () => {
  await send(
    await recordVideo(ben.page, { name: 'last.webm', width: 400, height: 400 }),
    'the last',
  )
  const look = await createLook(page)
  await message(page, 'the last').scrollIntoViewIfNeeded()
  await look('videos in a chat')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Media, files and links' }).click()
  const tile = page.getByRole('button', { name: /^Open video last\.webm, ben/ })
  await expect.poll(() => readHalves(blurOf(tile))).toEqual(['red', 'blue'])
  await look('the tab Media with videos')
  await tile.click()
  await loads(named('last.webm'), 'last.webm').waitFor()
  await look('a video in the gallery')
  await loads(named('last.webm'), 'last.webm').click()
  await named('last.webm').locator('video').waitFor()
  await look('a video that plays')
  expect([...ann.problems, ...ben.problems]).toEqual([])
})

test.each([390, 1280])(
  'at %i px a chat that was open a moment ago has its pictures sharp, its videos ready and its newest message in its first frame',
  async (width) => {
    await page.setViewportSize({ width, height: 844 })
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.goto('/chat')
    await chatRow(page, 'ben').click()
    const picture = message(page, 'behind it').getByRole('img', { name: 'behind it' })
    await picture.waitFor()
    await message(page, 'the last').locator('video').waitFor()
    await expect
      .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0)
    await page.goBack()
    await chatRow(page, 'ben').waitFor()
    const frames = await recordFrames(page)
    await chatRow(page, 'ben').click()
    await message(page, 'the last').waitFor()
    const drawn = (await frames.take()).filter(({ articles }) => articles > 0)
    const newest = await message(page, 'the last').getAttribute('data-message-id')
    const isLate = (frame: (typeof drawn)[number]) =>
      frame.blurs > 0 || frame.wishes > 0 || frame.animated > 0 || frame.newest !== newest
    expect(drawn.filter(isLate)).toEqual([])

    const flight = await recordFrames(page)
    await page.getByRole('button', { name: 'Open picture behind.jpg' }).click()
    await named('behind.jpg').getByRole('img', { name: 'behind it' }).waitFor()
    expect((await flight.take()).filter(({ blursOver }) => blursOver > 0)).toEqual([])
    await page.keyboard.press('Escape')
    await named('behind.jpg').waitFor({ state: 'detached' })
    await page.emulateMedia({ reducedMotion: 'reduce' })
  },
)
