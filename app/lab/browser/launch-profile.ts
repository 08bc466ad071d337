import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { findChromium } from '../../../.run/find-chromium.mjs'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  // A turn of the wheel is one step, however slowly frames are drawn.
  '--disable-smooth-scrolling',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export interface Profile {
  context: BrowserContext
  /** Ends Chromium and starts it again with the same profile on disk. */
  restart(): Promise<BrowserContext>
  close(): Promise<void>
}

/** Chromium with a profile of its own on disk: local storage, IndexedDB and service worker outlive a restart. */
export async function launchProfile(options: BrowserContextOptions = {}): Promise<Profile> {
  const folder = await mkdtemp(join(tmpdir(), 'petrel-profile-'))
  async function launch() {
    const context = await chromium.launchPersistentContext(folder, {
      executablePath: findChromium(),
      args: flags,
      viewport: { width: 1280, height: 800 },
      ...options,
    })
    // tsx names inner functions by this helper, also in those that a page evaluates.
    await context.addInitScript('globalThis.__name = (named) => named')
    return context
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
    async close() {
      await context.close()
      // What Chromium writes last may come after its goodbye.
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
