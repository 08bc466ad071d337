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

/** Makes every read of this page along an index fail. Returns the function that ends it. */
export async function breakReading(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    const { getAll } = IDBIndex.prototype
    IDBIndex.prototype.getAll = () => {
      throw new DOMException('The disk cannot be read', 'UnknownError')
    }
    Object.assign(globalThis, {
      mendReading: () => void Object.assign(IDBIndex.prototype, { getAll }),
    })
  })
  return () => page.evaluate('mendReading()')
}
