import type { BrowserContextOptions, Page } from 'playwright-core'
import { launchProfile, type Profile } from './launch-profile.ts'
import { createNetwork, type Network } from './network.ts'
import type { BuiltServer } from './start-built-server.ts'

export interface BrowserPerson {
  username: string
  password: string
  email: string
  /** The first tab. A restart of the browser replaces it. */
  readonly page: Page
  profile: Profile
  /** Does its browser keep the app for when there is no network? */
  keepsApp: boolean
  network: Network
  /** The device loses its network: the way is cut and the browser knows it. */
  goOffline(): Promise<void>
  goOnline(): Promise<void>
  /** A further tab of the same browser. */
  openTab(path: string): Promise<Page>
  restartBrowser(): Promise<void>
  /** As a crash: the browser is killed, and started again. */
  killBrowser(): Promise<void>
  /** What the pages reported as errors, without the failed requests of a lost network. */
  problems: string[]
  close(): Promise<void>
}

export interface PersonOptions extends BrowserContextOptions {
  /** Does the app show the loading screen of a first visit? It takes five seconds of each person. */
  hasFirstLoad?: boolean
}

/** A person at a browser of their own, with a network of their own that can be cut. Nobody is signed in yet. */
export async function createPerson(
  server: Pick<BuiltServer, 'port'>,
  username: string,
  { hasFirstLoad = false, ...options }: PersonOptions = {},
): Promise<BrowserPerson> {
  const network = await createNetwork(server.port)
  const profile = await launchProfile({ ...options, baseURL: network.origin })
  const problems: string[] = []
  let page = await firstPage()

  async function firstPage() {
    const { context } = profile
    context.on('weberror', (error) => problems.push(String(error.error())))
    if (!hasFirstLoad) await context.addInitScript(skipFirstLoad)
    return context.pages()[0] ?? context.newPage()
  }

  return {
    username,
    password: `${username}-secret`,
    email: `${username}@example.org`,
    profile,
    keepsApp: options.serviceWorkers !== 'block',
    network,
    problems,
    get page() {
      return page
    },
    async goOffline() {
      network.cut()
      await profile.context.setOffline(true)
    },
    async goOnline() {
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

/** Runs in each page before its own programs. */
function skipFirstLoad() {
  const read = Storage.prototype.getItem
  Storage.prototype.getItem = function (key) {
    return key.startsWith('first-load-done ') ? 'yes' : read.call(this, key)
  }
}
