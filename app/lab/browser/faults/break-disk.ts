import type { Page } from 'playwright-core'

/** Makes every write of this page fail, as on a full disk. Returns the function that ends it. */
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
