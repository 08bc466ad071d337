import { Dexie } from 'dexie'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { readManyByRange } from './read-many-by-range.ts'

async function openNotes(prepare: (dexie: Dexie) => void) {
  const dexie = new Dexie('notes', { indexedDB: new IDBFactory(), IDBKeyRange })
  dexie.version(1).stores({ notes: 'id' })
  prepare(dexie)
  await dexie.open()
  onTestFinished(() => dexie.close())
  return dexie.table<{ id: string }, string>('notes')
}

const ids = fc.integer({ min: 0, max: 60 }).map((n) => `note ${String(n).padStart(2, '0')}`)

test('gives what Dexie gives, whatever is there and in whatever order it is asked for', async () => {
  const asked: number[] = []
  const notes = await openNotes(readManyByRange)
  const plain = await openNotes(() => {})
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(ids, { maxLength: 60 }),
      fc.array(ids, { maxLength: 30 }),
      async (stored, wanted) => {
        for (const table of [notes, plain]) {
          await table.clear()
          await table.bulkPut(stored.map((id) => ({ id })))
        }
        asked.push(wanted.length)
        expect(await notes.bulkGet(wanted)).toEqual(await plain.bulkGet(wanted))
      },
    ),
  )
  expect(Math.max(...asked)).toBeGreaterThan(8)
})

test('what is not there costs one request however much is asked for', async () => {
  const notes = await openNotes(readManyByRange)
  await notes.put({ id: 'note 50' })
  let events = 0
  const { prototype } = await readRequestClass(notes)
  const { dispatchEvent } = prototype
  prototype.dispatchEvent = function (this: EventTarget, event: Event) {
    events += 1
    return dispatchEvent.call(this, event)
  }
  onTestFinished(() => {
    prototype.dispatchEvent = dispatchEvent
  })
  const wanted = Array.from({ length: 40 }, (_, n) => `note ${n + 30}`)
  const found = await notes.bulkGet(wanted)
  expect(found.filter(Boolean)).toEqual([{ id: 'note 50' }])
  expect(events).toBe(2)
})

/** The request class of this table's IndexedDB. */
async function readRequestClass(table: Dexie.Table<{ id: string }, string>) {
  const request = table.db.backendDB().transaction('notes').objectStore('notes').count()
  await new Promise((resolve) => request.addEventListener('success', resolve))
  return Object.getPrototypeOf(request).constructor as { prototype: EventTarget }
}
