import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { keepSignIn, registerPerson, waitUntilKept } from './account-steps.ts'
import { chatRow, composer, openChat, readMessages, readWords, say } from './chat-steps.ts'
import { holdRequests } from './faults/stop-requests.ts'
import { findProblems } from './find-problems.ts'
import { createLook } from './looks/look.ts'
import { createPerson } from './person.ts'
import { startTwoPeople } from './start-two-people.ts'

const people = await startTwoPeople({
  keepsApp: true,
  hasOwnBrowser: true,
  areAlike: true,
  hasWholeBrowser: true,
  permissions: ['microphone'],
})
const { ann, ben } = people

beforeAll(async () => {
  await keepSignIn(ann)
  await openChat(ben.page, 'ann')
  await openChat(ann.page, 'ben')
})
afterAll(() => people.close())

const microphone = (page: Page) => page.getByRole('button', { name: 'Record voice message' })
/** Presses it and lets go at the same moment, as the browser hears: what is let go of later is held, and is sent then. */
async function clickMicrophone(page: Page) {
  await microphone(page).hover()
  const { x, y, width, height } = must(await microphone(page).boundingBox(), 'the microphone')
  const place = { x: x + width / 2, y: y + height / 2 }
  const press = { ...place, button: 'left', clickCount: 1, timestamp: Date.now() / 1_000 } as const
  const mouse = await page.context().newCDPSession(page)
  await Promise.all([
    mouse.send('Input.dispatchMouseEvent', { ...press, type: 'mousePressed' }),
    mouse.send('Input.dispatchMouseEvent', { ...press, type: 'mouseReleased' }),
  ])
  await mouse.detach()
}
const panel = (page: Page) => page.getByRole('group', { name: 'Voice message' })
const inPanel = (page: Page, name: string) => panel(page).getByRole('button', { name, exact: true })
const voices = (page: Page) =>
  page.getByRole('article').filter({ has: page.getByRole('slider', { name: 'Position' }) })
const untilRecorded = (page: Page, seconds: number) =>
  expect
    .poll(async () => Number(/0:(\d\d)/.exec((await panel(page).textContent()) ?? '')?.[1]))
    .toBeGreaterThanOrEqual(seconds)

/**
 * Records from here on the speed at which each playback starts. One that had to wait for bytes on a busy machine is heard
 * as playing again, without a start.
 */
const recordPlays = (page: Page) =>
  page.evaluate(() => {
    const plays: number[] = []
    const begun = new Set<EventTarget | null>()
    const note = ({ target }: Event) => {
      if (begun.delete(target)) plays.push((target as HTMLAudioElement).playbackRate)
    }
    document.addEventListener('play', ({ target }) => begun.add(target), { capture: true })
    document.addEventListener('playing', note, { capture: true })
    Object.assign(globalThis, { plays })
  })
const readPlays = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { plays: number[] }).plays)

test('P1: a voice message recorded offline can be heard, waits through a kill of the browser, arrives, and plays', async () => {
  const { page } = ann
  await say(page, 'listen')
  await waitUntilKept(ann)
  await waitUntilKept(ben)
  await ann.goOffline()
  await microphone(page).focus()
  await page.keyboard.press('Enter')
  await untilRecorded(page, 3)
  expect(await findProblems(page)).toEqual([])
  await inPanel(page, 'Stop').click()
  await recordPlays(page)
  await inPanel(page, 'Play').click()
  await expect.poll(() => readPlays(page)).toEqual([1])
  await inPanel(page, 'Send').click()
  await panel(page).waitFor({ state: 'detached' })
  await voices(page).getByText('Waiting to upload').waitFor()
  const address = page.url()
  await ann.killBrowser()
  await ann.profile.context.setOffline(true)
  await ann.page.goto(address)
  const said = ['listen', expect.stringMatching(/^Voice message \(0:\d\d\)$/)]
  await expect.poll(() => readWords(ann.page)).toEqual(said)
  await ann.goOnline()
  await expect.poll(() => readWords(ben.page)).toEqual(said)
  // The list batches arrivals: it draws them a moment after the bubble.
  await expect
    .poll(() => chatRow(ben.page, 'ann').textContent())
    .toMatch(/Voice message \(0:\d\d\)/)

  const bubble = voices(ben.page)
  await bubble.getByRole('button', { name: 'Speed 1×' }).click()
  await recordPlays(ben.page)
  await bubble.getByRole('button', { name: 'Play' }).click()
  await expect.poll(() => readPlays(ben.page)).toEqual([1.5])
  await bubble.getByRole('button', { name: 'Play' }).waitFor()
  await ben.goOffline()
  await ben.page.reload()
  await bubble.getByRole('button', { name: 'Play' }).waitFor()
  await recordPlays(ben.page)
  await bubble.getByRole('button', { name: 'Play' }).click()
  await expect.poll(() => readPlays(ben.page)).toEqual([1.5])
  await ben.goOnline()
  expect([...ann.problems, ...ben.problems]).toEqual([])
})

test('the waveform leads to any place, by pointer and keyboard, and moves no other message', async () => {
  const { page } = ben
  const slider = page.getByRole('slider', { name: 'Position' })
  await voices(page).getByRole('button', { name: 'Play' }).waitFor()
  await slider.click()
  const readShare = () =>
    page.locator('audio').evaluate((player) => {
      const { currentTime, duration } = player as HTMLAudioElement
      return currentTime / duration
    })
  await expect.poll(readShare).toBeCloseTo(0.5, 1)
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/^0:0\d of 0:\d\d$/)
  await slider.press('Home')
  await expect.poll(readShare).toBe(0)
  for (let step = 0; step < 3; step++) await slider.press('ArrowUp')
  await expect.poll(readShare).toBeCloseTo(0.3, 1)
  expect(await slider.evaluate((element) => element === document.activeElement)).toBe(true)
})

test('among the files of the chat it has its waveform too', async () => {
  const { page } = ben
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Media, files and links' }).click()
  await page.getByRole('tab', { name: 'Files' }).click()
  const found = page.getByRole('tabpanel')
  await found.getByRole('slider', { name: 'Position' }).waitFor()
  await recordPlays(page)
  await found.getByRole('button', { name: 'Play' }).click()
  await expect.poll(() => readPlays(page)).toEqual([1.5])
  await page.goBack()
  await voices(page).getByRole('button', { name: 'Play' }).waitFor()
})

interface Point {
  x: number
  y: number
}

/** A mouse, or a finger: the browser's events differ. */
async function createPointer(page: Page, kind: 'mouse' | 'finger') {
  if (kind === 'mouse') {
    return {
      async down({ x, y }: Point) {
        await page.mouse.move(x, y)
        await page.mouse.down()
      },
      move: ({ x, y }: Point) => page.mouse.move(x, y, { steps: 4 }),
      up: () => page.mouse.up(),
    }
  }
  const touch = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Point[]) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints })
  return {
    down: (point: Point) => send('touchStart', [point]),
    move: (point: Point) => send('touchMove', [point]),
    up: () => send('touchEnd', []),
  }
}

test.each(['mouse', 'finger'] as const)(
  'held by a %s it is sent when that leaves, slid to the left it is not, slid up it goes on',
  async (kind) => {
    const { page } = ann
    const pointer = await createPointer(page, kind)
    const count = await voices(page).count()
    const hold = async (slide: Point) => {
      const box = await microphone(page).boundingBox()
      if (!box) throw new Error('There is no microphone.')
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
      await pointer.down({ x, y })
      await untilRecorded(page, 1)
      await pointer.move({ x: x + slide.x, y: y + slide.y })
    }
    await hold({ x: -120, y: 0 })
    await panel(page).waitFor({ state: 'detached' })
    await pointer.up()
    await hold({ x: 0, y: -100 })
    await pointer.up()
    await inPanel(page, 'Stop').waitFor()
    await inPanel(page, 'Discard').click()
    await panel(page).waitFor({ state: 'detached' })
    expect(await voices(page).count()).toBe(count)
    await hold({ x: 0, y: 0 })
    await pointer.up()
    await expect.poll(() => voices(page).count()).toBe(count + 1)
    const { id } = (await readMessages(page)).at(-1) ?? {}
    await expect.poll(async () => (await readMessages(ben.page)).at(-1)?.id).toBe(id)
  },
)

test('one plays at a time, and goes on where it was paused', async () => {
  const { page } = ann
  const [first, second] = [voices(page).first(), voices(page).last()]
  const slider = first.getByRole('slider')
  const readPlace = () => slider.getAttribute('aria-valuenow')
  // Too slow to end meanwhile, from before its start: an event tells a busy page of that too late.
  await page.evaluate(() => {
    const { prototype } = HTMLMediaElement
    const { play } = prototype
    prototype.play = function () {
      this.playbackRate = 0.1
      return play.call(this)
    }
    Object.assign(globalThis, { playAtSpeed: () => Object.assign(prototype, { play }) })
  })
  await first.getByRole('button', { name: 'Play' }).click()
  await slider.press('ArrowRight')
  await slider.press('ArrowRight')
  await slider.press('ArrowRight')
  await expect.poll(readPlace).not.toBe('0')
  await second.getByRole('button', { name: 'Play' }).click()
  await first.getByRole('button', { name: 'Play' }).click()
  await first.getByRole('button', { name: 'Pause' }).click()
  await first.getByRole('button', { name: 'Play' }).waitFor()
  expect(await readPlace()).not.toBe('0')
  await page.evaluate('void playAtSpeed()')
})

/** Records the microphones that the page opens from here on. */
const watchMicrophones = (page: Page) =>
  page.evaluate(() => {
    const opened: MediaStreamTrack[] = []
    const { mediaDevices } = navigator
    const open = mediaDevices.getUserMedia.bind(mediaDevices)
    mediaDevices.getUserMedia = async (wanted) => {
      const stream = await open(wanted)
      opened.push(...stream.getTracks())
      return stream
    }
    Object.assign(globalThis, { opened })
  })
const countOpen = (page: Page) =>
  page.evaluate(() => {
    const { opened } = globalThis as unknown as { opened: MediaStreamTrack[] }
    return opened.filter(({ readyState }) => readyState === 'live').length
  })

/** Waits until the device has stored a piece of what is being recorded: the last one goes with a reload. */
const untilPieceStored = (page: Page) =>
  expect
    .poll(() =>
      page.evaluate(async () => {
        const done = <T>(request: IDBRequest<T>) =>
          new Promise<T>((resolve, reject) => {
            request.onsuccess = () => resolve(request.result)
            request.onerror = () => reject(request.error)
          })
        let count = 0
        for (const { name = '' } of await indexedDB.databases()) {
          const database = await done(indexedDB.open(name))
          if (database.objectStoreNames.contains('attachments')) {
            const notes = database.transaction('attachments').objectStore('attachments')
            count += await done(notes.count(IDBKeyRange.bound('voice|', 'voice|~')))
          }
          database.close()
        }
        return count
      }),
    )
    .toBeGreaterThan(0)

test('P1: what is being recorded when the chat is left, or the page reloaded, is there again to be heard', async () => {
  const { page } = ann
  const count = await voices(page).count()
  await watchMicrophones(page)
  await clickMicrophone(page)
  await untilRecorded(page, 3)
  expect(await countOpen(page)).toBe(1)
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await expect.poll(() => countOpen(page)).toBe(0)
  await page.goBack()
  await inPanel(page, 'Play').waitFor()
  await inPanel(page, 'Discard').click()
  await composer(page).waitFor()
  await clickMicrophone(page)
  await untilRecorded(page, 3)
  const other = await ann.openTab(page.url())
  await microphone(other).waitFor()
  await untilPieceStored(page)
  await page.reload()
  await inPanel(page, 'Play').waitFor()
  await other.goto('/settings/account')
  await other.getByRole('button', { name: 'Log out' }).click()
  await other.getByText('You have 1 unsent voice message that would be lost.').waitFor()
  await other.close()
  await recordPlays(page)
  await inPanel(page, 'Play').click()
  await expect.poll(() => readPlays(page)).toEqual([1])
  await inPanel(page, 'Send').click()
  await expect.poll(() => voices(page).count()).toBe(count + 1)
  await page.reload()
  await composer(page).waitFor()
  await expect.poll(() => voices(page).count()).toBe(count + 1)
  expect(ann.problems).toEqual([])
})

test('P8: no microphone opens once the chat is left, however late the recorder is loaded', async () => {
  const cem = await createPerson(people.server, 'cem', {
    hasWholeBrowser: true,
    permissions: ['microphone'],
  })
  onTestFinished(() => cem.close())
  await registerPerson(cem)
  const { page } = cem
  await openChat(page, 'ben')
  await watchMicrophones(page)
  const held = await holdRequests(page, '**/assets/voice-recorder-*.js')
  await microphone(page).press('Enter')
  await page.getByRole('link', { name: 'Settings' }).first().click()
  await microphone(page).waitFor({ state: 'detached' })
  await held.release()
  await page.goBack()
  await microphone(page).press('Enter')
  await untilRecorded(page, 1)
  expect(await countOpen(page)).toBe(1)
})

test('P6: when the microphone goes, what was recorded stays, and words say so', async () => {
  const { page } = ann
  await watchMicrophones(page)
  await clickMicrophone(page)
  await untilRecorded(page, 1)
  await page.evaluate(() => {
    const { opened } = globalThis as unknown as { opened: MediaStreamTrack[] }
    for (const track of opened) track.stop()
  })
  await panel(page)
    .getByRole('alert')
    .getByText(/^The microphone was disconnected/)
    .waitFor()
  await inPanel(page, 'Play').waitFor()
  await inPanel(page, 'Discard').click()
  await composer(page).waitFor()
})

test('P6: without permission it says what to do, and the microphone is asked for again', async () => {
  const { page } = ann
  const session = await page.context().newCDPSession(page)
  const allow = (setting: 'denied' | 'granted') =>
    session.send('Browser.setPermission', {
      permission: { name: 'microphone' },
      setting,
      origin: new URL(page.url()).origin,
    })
  await allow('denied')
  await clickMicrophone(page)
  await panel(page)
    .getByRole('alert')
    .getByText(/^Petrel can't use the microphone/)
    .waitFor()
  expect(await findProblems(page)).toEqual([])
  await allow('granted')
  await inPanel(page, 'Try again').click()
  await untilRecorded(page, 1)
  await inPanel(page, 'Discard').click()
  await composer(page).waitFor()
})

test('a recording, what waits to be heard, and its bubble fit every width and both themes', async () => {
  const { page } = ann
  const look = await createLook(page)
  await look('voice messages in a chat')
  await clickMicrophone(page)
  await untilRecorded(page, 1)
  await look('a recording')
  await inPanel(page, 'Stop').click()
  await inPanel(page, 'Play').waitFor()
  await look('a recording that waits to be heard')
  await inPanel(page, 'Discard').click()
})
