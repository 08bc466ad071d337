import type { Page } from 'playwright-core'

declare global {
  var releaseDatabases: (() => void) | undefined
}

/** Blocks other tabs' reads of this origin's databases until `release`, as a long write does. */
export async function holdDatabases(tab: Page): Promise<{ release(): Promise<void> }> {
  await tab.evaluate(async () => {
    const opened = (await indexedDB.databases()).map(
      ({ name = '' }) =>
        new Promise<IDBDatabase>((resolve, reject) => {
          const request = indexedDB.open(name)
          request.onsuccess = () => resolve(request.result)
          request.onerror = () => reject(request.error)
        }),
    )
    const databases = (await Promise.all(opened)).filter(
      ({ objectStoreNames }) => objectStoreNames.length > 0,
    )
    let isHeld = true
    const held = databases.map(
      (database) =>
        new Promise<void>((resolve) => {
          const stores = [...database.objectStoreNames]
          const store = database.transaction(stores, 'readwrite').objectStore(stores[0] ?? '')
          // A transaction lasts as long as each of its results triggers another request.
          const goOn = () => {
            resolve()
            if (isHeld) store.count().onsuccess = goOn
            else database.close()
          }
          store.count().onsuccess = goOn
        }),
    )
    globalThis.releaseDatabases = () => {
      isHeld = false
    }
    await Promise.all(held)
  })
  return { release: () => tab.evaluate(() => globalThis.releaseDatabases?.()) }
}
