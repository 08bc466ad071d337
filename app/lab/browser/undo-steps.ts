import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { readSession } from './account-steps.ts'
import type { BrowserPerson } from './person.ts'

/**
 * Does something that offers Undo. The pointer is on its way to the offer before the offer comes, and holds it: what
 * follows may take longer than its 5 s, and so may the next call alone.
 */
export async function holdOffer(page: Page, action: Promise<unknown>) {
  await Promise.all([holdAtOnce(page), page.getByRole('region', { name: 'Undo' }).hover(), action])
}

/**
 * Holds the offer that comes, from its first frame until the pointer is on it: the way there takes several calls, and on
 * a busy machine they may take the offer's 5 s.
 * @param options.isAnother does it take the place of one that is shown? Then that one is not meant.
 */
export async function holdAtOnce(page: Page, { isAnother = false } = {}) {
  await page.evaluate(async (isAnother) => {
    const find = () => document.querySelector('section[aria-label="Undo"]')
    const before = isAnother ? find() : null
    const nextFrame = () => new Promise(requestAnimationFrame)
    let offer = find()
    for (; !offer || offer === before; offer = find()) await nextFrame()
    do {
      offer.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, movementX: 1 }))
      await nextFrame()
    } while (offer.isConnected && !offer.matches(':hover'))
  }, isAnother)
}

/**
 * Waits until the device has noted a deletion that can still be undone: a page that is left before
 * may lose it.
 */
export async function untilNoted(
  person: BrowserPerson,
  field: 'messageId' | 'peerId',
  value: string,
) {
  const { userId } = await readSession(person)
  const isNoted = () =>
    person.page.evaluate(
      ({ name, field, value }) =>
        new Promise<boolean>((resolve, reject) => {
          const opening = indexedDB.open(name)
          opening.onerror = () => reject(opening.error)
          opening.onsuccess = () => {
            const database = opening.result
            const reading = database.transaction('withheld').objectStore('withheld').getAll()
            reading.onsuccess = () => {
              database.close()
              resolve(reading.result.some(({ change }) => change[field] === value))
            }
            reading.onerror = () => reject(reading.error)
          }
        }),
      { name: `petrel-${userId}-device`, field, value },
    )
  await expect.poll(isNoted).toBe(true)
}
