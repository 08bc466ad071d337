import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from 'playwright-core'
import { findChromium, findHeadlessShell } from '../../../.run/find-chromium.mjs'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  // One wheel turn is one step, however slow the frames are.
  '--disable-smooth-scrolling',
  '--no-first-run',
  // Threads that compile and collect beside the page took a tenth of the processor time from busy cores.
  '--js-flags=--single-threaded --min-semi-space-size=16',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A beeping microphone for tests with permission.
  '--use-fake-device-for-media-stream',
]

/** Motion draws frames that no test looks at: tests of what moves turn it on. */
const usual = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const

/** No test asserts speed: half a minute was too short on a busy machine. */
const patienceMs = 60_000

export interface ProfileOptions extends BrowserContextOptions {
  /**
   * Is it Chromium itself? Its headless shell takes half of the processor time, but refuses notifications and records
   * no voice.
   */
  hasWholeBrowser?: boolean
}

const findBrowser = (isWhole = false) =>
  (isWhole ? undefined : findHeadlessShell()) ?? findChromium()

/** One person's storage, separate from everybody else's. */
export interface Profile {
  context: BrowserContext
  /** Closes Chromium and restarts it with the same profile on disk. */
  restart(): Promise<BrowserContext>
  /** Kills Chromium in the middle of its work, and restarts it with the data on disk. */
  kill(): Promise<BrowserContext>
  close(): Promise<void>
}

/**
 * Chromium with its own profile on disk: local storage, IndexedDB and service worker survive a
 * restart.
 */
export async function launchProfile({
  hasWholeBrowser,
  ...options
}: ProfileOptions = {}): Promise<Profile> {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-profile-'))
  async function launch() {
    return prepare(
      await chromium.launchPersistentContext(folder, {
        executablePath: findBrowser(hasWholeBrowser),
        args: flags,
        ...usual,
        ...options,
      }),
    )
  }
  let context = await launch()
  return {
    get context() {
      return context
    },
    async restart() {
      await context.close()
      context = await launch()
      return context
    },
    async kill() {
      const ended = new Promise((resolve) => context.once('close', resolve))
      process.kill(await findProcess(folder), 'SIGKILL')
      await ended
      // The lock that it could not remove names a dead process.
      await rm(join(folder, 'SingletonLock'), { force: true })
      context = await launch()
      return context
    },
    async close() {
      await context.close()
      // Chromium's last writes may follow its exit.
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

const sharedBrowsers = new Map<string | undefined, Promise<Browser>>()

/**
 * A profile in memory, in a Chromium that all tests of this process share: it takes a third of the time, and ends with
 * the process. It cannot restart: what has to survive the browser needs `launchProfile`.
 */
export async function openSharedProfile({
  hasWholeBrowser,
  ...options
}: ProfileOptions = {}): Promise<Profile> {
  const executablePath = findBrowser(hasWholeBrowser)
  const launched =
    sharedBrowsers.get(executablePath) ?? chromium.launch({ args: flags, executablePath })
  sharedBrowsers.set(executablePath, launched)
  const context = await prepare(await (await launched).newContext({ ...usual, ...options }))
  return {
    context,
    restart: refuseToEnd,
    kill: refuseToEnd,
    close: () => context.close(),
  }
}

async function refuseToEnd(): Promise<never> {
  throw new Error('This browser is shared: give the person one with `hasOwnBrowser`.')
}

async function prepare(context: BrowserContext): Promise<BrowserContext> {
  context.setDefaultTimeout(patienceMs)
  // tsx names inner functions with this helper, also in those that a page evaluates.
  await context.addInitScript('globalThis.__name = (named) => named')
  return context
}

/** The browser's main process, which takes all others down with it. */
async function findProcess(folder: string): Promise<number> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const line = await readFile(`/proc/${name}/cmdline`, 'latin1').catch(() => '')
    const isBrowser = line.includes(`--user-data-dir=${folder}`) && !line.includes('--type=')
    // Debian's script that started it waits for it.
    if (isBrowser && !line.startsWith('/bin/sh')) return Number(name)
  }
  throw new Error('The browser is not running.')
}
