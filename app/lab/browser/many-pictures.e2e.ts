import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { registerAccount } from '../server/server-accounts.ts'
import { readSession } from './account-steps.ts'
import { chatRow } from './chat-steps.ts'
import { recordLayoutShifts } from './looks/record-layout-shifts.ts'
import { ownWords } from './message-steps.ts'
import { pushPictures } from './push-pictures.ts'
import { startAnnAlone } from './start-two-people.ts'

const count = 1_000
/** The number drawn together: more than a screenful, and far less than the list's window of 300. */
const mostDrawn = 20
/** Those that went out of sight last stay ready. */
const readyMost = 40
const people = await startAnnAlone()
const { ann, server } = people
const { page } = ann
const carl = await registerAccount(server.origin, 'carl')
const { take: takeShifts } = await recordLayoutShifts(page)

interface Drawn {
  addresses: number
  pictures: number
}

beforeAll(async () => {
  await page.addInitScript(() => {
    const live = new Set<string>()
    Object.assign(globalThis, { live })
    const { createObjectURL, revokeObjectURL } = URL
    URL.createObjectURL = (bytes) => {
      const url = createObjectURL.call(URL, bytes)
      live.add(url)
      return url
    }
    URL.revokeObjectURL = (url) => {
      live.delete(url)
      revokeObjectURL.call(URL, url)
    }
  })
  const { userId: recipientId } = await readSession(ann)
  await pushPictures({ page, origin: server.origin, author: carl, recipientId, count })
  await chatRow(page, 'carl').getByText(`picture ${count}`).waitFor()
})
afterAll(() => people.close())

/** The held blob addresses, and the pictures drawn from them. */
function countDrawn(): Promise<Drawn> {
  return page.evaluate(() => ({
    addresses: (globalThis as unknown as { live: Set<string> }).live.size,
    pictures: document.querySelectorAll('img[src^="blob:"]').length,
  }))
}

/** The number of the newest picture that is drawn. */
async function readNewest(): Promise<number> {
  const words = page.getByRole('article').getByText(/^picture \d+$/)
  return Number((await words.last().textContent())?.replace('picture ', ''))
}

/**
 * The largest layout shift that may be seen: a picture without a place of its own gives a tenth and
 * more. The list corrects its estimate of a row that it has never drawn; on a busy machine that
 * falls between two frames, and moves pictures by 20 px (0.005).
 */
const largestShift = 0.02

/** Turns of the wheel, px: one that leaves a part in sight, and flings past two screens. */
const turns = [700, 2_100, 2_100, 2_100]

/** What a turn leaves before the end of what is loaded, px: there the list draws no row that a page changes. */
const leftPx = 400

/**
 * The next turn that does not outrun the reading of pages: on a slow disk it would reach the first or last row that is
 * loaded, which changes with the page that comes: a date header goes, and the list moves. Undefined until that page is here.
 */
async function findTurn(wanted: number, direction: 1 | -1): Promise<number | undefined> {
  // Nothing comes behind the last ones.
  if (direction === 1 && (await readNewest()) > count - 20) return wanted
  const roomPx = await page
    .getByRole('log')
    .evaluate(
      ({ scrollTop, scrollHeight, clientHeight }, isDown) =>
        isDown ? scrollHeight - scrollTop - clientHeight : scrollTop,
      direction === 1,
    )
  return [wanted, Math.min(...turns)].find((px) => px + leftPx <= roomPx)
}

/**
 * Scrolls until it has come far enough: a busy browser takes several turns of the wheel at once, and passes what
 * would be visible in between. Returns the highest number drawn on the way.
 */
async function scrollUntil(isFarEnough: () => Promise<boolean>, direction: 1 | -1): Promise<Drawn> {
  const most = { addresses: 0, pictures: 0 }
  const shifts: Awaited<ReturnType<typeof takeShifts>> = []
  let turn = 0
  await page.mouse.move(900, 400)
  await expect
    .poll(
      async () => {
        const px = await findTurn(must(turns[turn % turns.length], 'a turn'), direction)
        if (px !== undefined) {
          turn++
          await page.mouse.wheel(0, direction * px)
        }
        shifts.push(...(await takeShifts()))
        const now = await countDrawn()
        most.addresses = Math.max(most.addresses, now.addresses)
        most.pictures = Math.max(most.pictures, now.pictures)
        return isFarEnough()
      },
      { timeout: 240_000, interval: 1 },
    )
    .toBe(true)
  expect(shifts.filter(({ value }) => value > largestShift)).toEqual([])
  return most
}

test('1,000 pictures scroll without moving by themselves, and no more of them are held than are drawn and stay ready', async () => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.reload()
  await chatRow(page, 'carl').click()
  // Not number 10 and on, which are drawn with it before the list has measured them.
  await page.getByRole('article', { name: /: picture 1$/ }).waitFor()
  const down = await scrollUntil(async () => (await readNewest()) === count, 1)
  expect(down.pictures).toBeGreaterThan(5)
  expect(down.pictures).toBeLessThanOrEqual(mostDrawn)
  expect(down.addresses).toBeLessThanOrEqual(mostDrawn + readyMost)
  const up = await scrollUntil(async () => (await readNewest()) <= 500, -1)
  expect(up.addresses).toBeLessThanOrEqual(mostDrawn + readyMost)
  expect(await page.getByRole('article').count()).toBeLessThanOrEqual(mostDrawn)
  await page.goto('/chat')
  await expect.poll(countDrawn).toEqual({ addresses: 0, pictures: 0 })
})

test('all of them are looked through by arrow keys, one drawn at a time, and as squares of which few are held', async () => {
  await chatRow(page, 'carl').click()
  await ownWords(page, `picture ${count}`).waitFor()
  await page.getByRole('button', { name: `Open picture ${count}.jpg` }).click()
  const gallery = page.getByRole('dialog')
  await expect.poll(() => gallery.getByText(/ older, 0 newer$/).count()).toBe(1)
  for (let number = count - 1; number > count - 260; number--) {
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('dialog', { name: `${number}.jpg` }).waitFor()
  }
  expect(await gallery.locator('img[src^="blob:"]').count()).toBeLessThanOrEqual(1)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Media, files and links' }).click()
  const panel = page.getByRole('tabpanel')
  const last = panel.getByRole('button', { name: /^Open picture 1\.jpg/ })
  await page.mouse.move(900, 400)
  const held: number[] = []
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, 1_500)
        await page.evaluate(() => new Promise(requestAnimationFrame))
        held.push((await countDrawn()).addresses)
        return last.isVisible()
      },
      { timeout: 120_000, interval: 1 },
    )
    .toBe(true)
  expect(Math.max(...held)).toBeLessThanOrEqual(3 * mostDrawn + readyMost)
})
