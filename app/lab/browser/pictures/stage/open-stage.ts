import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { TestSocket } from '../../../../../sync-server/testing/open-test-socket.ts'
import { type BrowserPerson, createPerson } from '../../person.ts'
import { installStoryClock } from './install-story-clock.ts'
import type { StoryServer } from './start-story-server.ts'
import { storyNow } from './story.ts'
import type { People } from './tell-story.ts'

const devices = {
  1280: { viewport: { width: 1280, height: 800 } },
  390: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
} as const satisfies Record<number, BrowserContextOptions>
export type Width = keyof typeof devices

/** Ann at one of her devices, with its camera. */
export interface Stage {
  isPhone: boolean
  page: Page
  ann: BrowserPerson
  /** Ben's device, always present. */
  ben: TestSocket
  people: People
  /** A click, or a tap on the phone. */
  press(target: Locator): Promise<void>
  /** A right click, or a long press on the phone. */
  openMenu(target: Locator): Promise<void>
  /** Takes the picture in both themes. `ready` runs before each; its subject may be moving. */
  take(name: string, options?: { ready?: () => Promise<void> }): Promise<void>
  close(): Promise<void>
}

export async function openStage(options: {
  server: StoryServer
  people: People
  ben: TestSocket
  width: Width
  folder: string
}): Promise<Stage> {
  const { server, people, ben, width, folder } = options
  const ann = await createPerson(server, people.ann.email, {
    ...devices[width],
    permissions: ['microphone', 'notifications'],
    deviceScaleFactor: 2,
    timezoneId: 'UTC',
    locale: 'en-GB',
    // Sharing to the app needs its worker.
    keepsApp: true,
  })
  const { context } = ann.profile
  await context.addInitScript(installStoryClock, storyNow - Date.now())
  await context.addInitScript(chooseFont, '"Liberation Sans", Arial, sans-serif')
  const { page } = ann
  const isPhone = width === 390
  return {
    isPhone,
    page,
    people,
    ben,
    ann: { ...ann, page, password: people.ann.password },
    press: (target) => (isPhone ? target.tap() : target.click()),
    async openMenu(target) {
      if (isPhone) await pressLong(target)
      else await target.click({ button: 'right' })
      await page.getByRole('menu').waitFor()
    },
    async take(name, { ready } = {}) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        // Nothing should look hovered.
        if (!isPhone) await page.mouse.move(1, 1)
        await ready?.()
        await page.screenshot({
          path: `${folder}${name}-${colorScheme}-${width}.png`,
          animations: ready ? 'allow' : 'disabled',
        })
      }
    },
    close: () => ann.close(),
  }
}

/** What a long press triggers in Chromium on a phone. */
async function pressLong(target: Locator) {
  await target.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const place = { clientX: left + width / 3, clientY: top + height / 2 }
    const event = new MouseEvent('contextmenu', { ...place, bubbles: true, cancelable: true })
    element.dispatchEvent(event)
  })
}

/** Makes pictures alike everywhere: `system-ui` differs between machines. */
function chooseFont(families: string) {
  addEventListener('DOMContentLoaded', () =>
    document.documentElement.style.setProperty('--font-body', families),
  )
}
