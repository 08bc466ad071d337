import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findProblems } from '../find-problems.ts'
import { listOverflowing } from '../list-overflowing.ts'
import { waitUntil } from '../wait-until.ts'
import { listSmallControls } from './list-small-controls.ts'

/** One screen with a mouse, and two touch screens. */
const screens = {
  1280: { width: 1280, height: 800, isTouched: false },
  900: { width: 900, height: 800, isTouched: true },
  390: { width: 390, height: 844, isTouched: true },
} as const
type Width = keyof typeof screens
type Screen = { width: number; height: number; isTouched: boolean }
const everyWidth: readonly Width[] = [1280, 900, 390]
/**
 * Nothing may need sideways scrolling on a small phone, also at a zoom of 200 %, which halves the
 * pixels, with letters twice as large, and on 1280 × 1024 at 400 % (WCAG 1.4.4 and 1.4.10).
 */
const narrow = [
  { name: '360', width: 360, height: 640, letters: 16 },
  { name: '360 with large letters', width: 360, height: 640, letters: 32 },
  { name: '360 at 200 %', width: 180, height: 320, letters: 16 },
  { name: '1280 at 400 %', width: 320, height: 256, letters: 16 },
] as const

interface LookOptions {
  widths?: readonly Width[]
  /** Does it stay in place when the screen shrinks? A menu stays where it was opened. */
  isMenu?: boolean
}
type Look = (what: string, options?: LookOptions) => Promise<void>

/**
 * Checks a page state from all sides: no overflow at any width in both themes, no axe findings, no
 * small controls on a touch screen. Changes the screen in place, without leaving the page, and
 * finally restores a wide one with a mouse.
 */
export async function createLook(page: Page): Promise<Look> {
  const session = await page.context().newCDPSession(page)

  async function dress({ width, height, isTouched }: Screen, theme: 'light' | 'dark') {
    await page.setViewportSize({ width, height })
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: isTouched })
    await session.send('Emulation.setEmulatedMedia', {
      features: [
        { name: 'pointer', value: isTouched ? 'coarse' : 'fine' },
        { name: 'hover', value: isTouched ? 'none' : 'hover' },
        { name: 'prefers-color-scheme', value: theme },
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ],
    })
    // No pointer could show a tooltip.
    if (isTouched) await page.mouse.move(0, 0)
    await untilStill(page)
  }

  return async (what, { widths = everyWidth, isMenu = false } = {}) => {
    for (const width of widths) {
      await dress(screens[width], 'light')
      await expectNone(`${what} at ${width}: too wide`, () => listOverflowing(page))
      // Between the two it has the wide screen's panes and colours, and the phone's controls.
      const colours = width === 900 ? 'unseen' : 'seen'
      await expectNone(`${what} at ${width}: axe`, () => findProblems(page, { colours }))
      if (screens[width].isTouched) {
        await expectNone(`${what} at ${width}: small`, () => listSmallControls(page))
      }
      if (colours === 'unseen') continue
      // A theme changes only colours.
      await dress(screens[width], 'dark')
      await expectNone(`${what} at ${width}, dark`, () => findProblems(page, { colours: 'only' }))
    }
    for (const { name, letters, ...size } of isMenu ? [] : narrow) {
      // The browser's font size, which all `rem` measures follow.
      await session.send('Page.setFontSizes', { fontSizes: { standard: letters } })
      await dress({ ...size, isTouched: true }, 'light')
      await expectNone(`${what} at ${name}: too wide`, () => listOverflowing(page))
    }
    await dress(screens[1280], 'light')
  }
}

/** A single finding may be transient: a list measures itself after it is drawn. */
async function expectNone(what: string, find: () => Promise<string[]>) {
  let found: string[] = []
  const isNone = async () => {
    found = await find()
    return found.length === 0
  }
  await waitUntil(what, isNone, 10_000).catch(() => {})
  expect.soft(found, what).toEqual([])
}

/**
 * Resolves when fades and movements have ended, and two frames are drawn. Ignores endless
 * animations.
 */
async function untilStill(page: Page) {
  await page.evaluate(async () => {
    const moving = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
    await Promise.allSettled(moving.map(({ finished }) => finished))
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  })
}
