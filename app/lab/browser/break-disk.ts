import type { Page } from 'playwright-core'

/** Every write of this page fails, as on a full disk. Gives what mends it. */
export async function breakDisk(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    const { put } = IDBObjectStore.prototype
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('The disk is full', 'QuotaExceededError')
    }
    Object.assign(globalThis, {
      mendDisk: () => void Object.assign(IDBObjectStore.prototype, { put }),
    })
  })
  return () => page.evaluate('mendDisk()')
}
