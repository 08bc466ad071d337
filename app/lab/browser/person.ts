import type { Page } from 'playwright-core'
import {
  launchProfile,
  openSharedProfile,
  type Profile,
  type ProfileOptions,
} from './launch-profile.ts'
import { createNetwork, type Network } from './network.ts'
import type { BuiltServer } from './start-built-server.ts'

export interface BrowserPerson {
  username: string
  password: string
  email: string
  /** The first tab. A browser restart replaces it. */
  readonly page: Page
  profile: Profile
  /** Does its browser cache the app for offline use? */
  keepsApp: boolean
  network: Network
  /** The device loses its network: the path is cut and the browser knows it. */
  goOffline(): Promise<void>
  goOnline(): Promise<void>
  /** Opens another tab of the same browser. */
  openTab(path: string): Promise<Page>
  restartBrowser(): Promise<void>
  /** Simulates a crash: kills the browser, and starts it again. */
  killBrowser(): Promise<void>
  /** The pages' reported errors, without failed requests of a lost network. */
  problems: string[]
  close(): Promise<void>
}

export interface PersonOptions extends Omit<ProfileOptions, 'serviceWorkers'> {
  /** Does the browser cache the app, so that it starts offline? It takes two seconds per person. */
  keepsApp?: boolean
  /** Does the person have a Chromium with data on disk, which can restart and be killed? Others share one. */
  hasOwnBrowser?: boolean
  /** Does the app show a first visit's loading screen? It takes five seconds per person. */
  hasFirstLoad?: boolean
  /** Do pushes stay off the socket, so that tests can change them as requests? */
  pushesByRequests?: boolean
}

/** A person with a browser profile and a network that tests can cut. Not signed in yet. */
export async function createPerson(
  server: Pick<BuiltServer, 'port'>,
  username: string,
  {
    keepsApp = false,
    hasOwnBrowser = false,
    hasFirstLoad = false,
    pushesByRequests = false,
    ...options
  }: PersonOptions = {},
): Promise<BrowserPerson> {
  const network = await createNetwork(server.port)
  const context: ProfileOptions = {
    ...options,
    baseURL: network.origin,
    serviceWorkers: keepsApp ? 'allow' : 'block',
  }
  const open = hasOwnBrowser ? launchProfile : openSharedProfile
  const profile = await open(context)
  const problems: string[] = []
  let isOffline = false
  let page = await firstPage()

  /**
   * Chromium sometimes takes a page that is reloaded offline for one on line: the old document, which goes late, takes
   * what was set along.
   */
  function keepOffline(page: Page) {
    page.on('domcontentloaded', () => {
      // A page or a browser that is closed meanwhile needs nothing.
      setAgain(page).catch(() => {})
    })
  }

  async function setAgain(page: Page) {
    if (!isOffline || !(await page.evaluate(() => navigator.onLine)) || !isOffline) return
    const { context } = profile
    await context.setOffline(false)
    if (isOffline) await context.setOffline(true)
    if (!isOffline) await context.setOffline(false)
  }

  async function firstPage() {
    const { context } = profile
    context.pages().forEach(keepOffline)
    context.on('page', keepOffline)
    context.on('weberror', (error) => problems.push(String(error.error())))
    if (!hasFirstLoad) await context.addInitScript(skipFirstLoad)
    if (pushesByRequests) await context.addInitScript(offerNoPushes)
    return context.pages()[0] ?? context.newPage()
  }

  return {
    username,
    password: `${username}-secret`,
    email: `${username}@example.org`,
    profile,
    keepsApp,
    network,
    problems,
    get page() {
      return page
    },
    async goOffline() {
      isOffline = true
      network.cut()
      await profile.context.setOffline(true)
    },
    async goOnline() {
      isOffline = false
      network.mend()
      await profile.context.setOffline(false)
    },
    async openTab(path) {
      const tab = await profile.context.newPage()
      await tab.goto(path)
      return tab
    },
    async restartBrowser() {
      await profile.restart()
      page = await firstPage()
    },
    async killBrowser() {
      await profile.kill()
      page = await firstPage()
    },
    async close() {
      await profile.close()
      await network.close()
    },
  }
}

/** Runs in each page before the page's scripts. */
function skipFirstLoad() {
  const read = Storage.prototype.getItem
  Storage.prototype.getItem = function (key) {
    return key.startsWith('first-load-done ') ? 'yes' : read.call(this, key)
  }
}

/** Runs in each page before the page's scripts: the server then takes no pushes over its socket. */
function offerNoPushes() {
  globalThis.WebSocket = class extends WebSocket {
    constructor(url: string | URL, protocols: string | string[] = []) {
      super(
        url,
        [protocols].flat().filter((one) => one !== 'understands.pushes'),
      )
    }
  }
}
