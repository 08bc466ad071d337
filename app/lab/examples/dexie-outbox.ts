import { Dexie } from 'dexie'
import type { World } from '../kit/lab.ts'

interface Note {
  id: string
  text: string
}

/**
 * Notes on Dexie with an outbox made by hand: what is written waits in a table until the server has
 * taken it, and what the server has is asked for again and again.
 * @param options.hasKey sends the note's own id, under which the server takes it once
 */
export async function openOutboxNotes(world: World, { hasKey }: { hasKey: boolean }) {
  const db = new Dexie(`notes-${world.device}`, {
    indexedDB: world.indexedDB,
    IDBKeyRange: world.IDBKeyRange,
  })
  db.version(1).stores({ notes: 'id', outbox: 'id' })
  await db.open()
  const [notes, outbox] = [db.table<Note, string>('notes'), db.table<Note, string>('outbox')]
  const life = { isOver: false }

  async function send({ id, text }: Note) {
    const body = JSON.stringify(hasKey ? { id, text } : { text })
    const headers = { 'content-type': 'application/json' }
    const response = await world.fetch(`${world.url}/notes`, { method: 'POST', headers, body })
    if (response.ok) await outbox.delete(id)
  }
  async function syncOnce() {
    for (const note of await outbox.toArray()) await send(note)
    const response = await world.fetch(`${world.url}/notes`)
    if (!response.ok) return
    const stored: Note[] = await response.json()
    const waiting = await outbox.toArray()
    await db.transaction('rw', notes, async () => {
      await notes.clear()
      await notes.bulkPut([...stored, ...waiting])
    })
  }
  async function syncForEver() {
    while (!life.isOver) {
      await syncOnce().catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  const syncing = syncForEver()

  return {
    read: async () =>
      Object.fromEntries((await notes.toArray()).map(({ id, text }) => [id, { text }])),
    async close() {
      life.isOver = true
      await syncing
      db.close()
    },
    async write(id: string, text: string) {
      await db.transaction('rw', notes, outbox, async () => {
        await notes.put({ id, text })
        await outbox.put({ id, text })
      })
    },
  }
}

/** Its server, as a function: it keeps what it is sent, under the sender's id or one of its own. */
export function createNotesServer() {
  const stored = new Map<string, Note>()
  return async (request: Request): Promise<Response> => {
    if (request.method === 'GET') return Response.json([...stored.values()])
    const { id = `note-${stored.size + 1}`, text } = (await request.json()) as Partial<Note>
    stored.set(id, { id, text: String(text) })
    return Response.json({ id }, { status: 201 })
  }
}
