import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import type PouchDBClass from 'pouchdb'

const manifest = createRequire(import.meta.url).resolve('pouchdb/package.json')
const script = join(dirname(manifest), 'dist', 'pouchdb.min.js')

/**
 * The floor of a catch-up: a stock PouchDB in this page pulls all messages from this page's server.
 * In ms.
 */
export async function measureBrowserPouch(page: Page, batchSize: number): Promise<number> {
  await page.addInitScript({ path: script })
  await page.goto('/healthz')
  return page.evaluate(async (batchSize) => {
    const { PouchDB } = globalThis as unknown as { PouchDB: typeof PouchDBClass }
    const token = localStorage.getItem('token')
    const remote = new PouchDB(`${location.origin}/sync/messages`, {
      skip_setup: true,
      fetch: (url, options = {}) => {
        const headers = new Headers(options.headers)
        headers.set('authorization', `Bearer ${token}`)
        return PouchDB.fetch(url, { ...options, headers })
      },
    })
    const local = new PouchDB(`floor-${batchSize}`)
    const start = performance.now()
    await PouchDB.replicate(remote, local, { batch_size: batchSize })
    const took = performance.now() - start
    await local.destroy()
    return took
  }, batchSize)
}
