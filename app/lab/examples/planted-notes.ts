import { createServer } from 'node:http'
import { Dexie } from 'dexie'
import type { World } from '../kit/lab.ts'

/** A note as the server has it; `seq` rises with each change of anything. */
interface Note {
  id: string
  seq: number
  title: string
  color: string
}
type Field = 'title' | 'color'

/** What a device has changed; `at`: by its own clock. */
interface Change {
  key: string
  id: string
  fields: Partial<Pick<Note, Field>>
  at: number
}

/** What may be wrong with the app or its server: mistakes that people make. */
export type PlantedFault =
  /** Takes whatever the server answers for a yes. */
  | 'ignores-status'
  /** The server makes the ids, and cannot know a note that comes again. */
  | 'sends-without-key'
  /** The server applies a change that comes again. */
  | 'applies-twice'
  /** What waits is lost with the tab. */
  | 'waits-in-memory'
  /** Takes the end of an answer from its head, though the line broke in the middle. */
  | 'trusts-half'
  /** After an error it asks for what is new from then on. */
  | 'asks-from-now'
  /** Sends the fields that nobody has changed, too. */
  | 'writes-whole'
  /** Of two changes the later one by the devices' clocks counts. */
  | 'trusts-clocks'
  /** Notes how far it has read before that is stored. */
  | 'ignores-disk'
  /** Drops what it sent before it has what became of it. */
  | 'drops-early'
  /** The server answers before it has stored anything. */
  | 'stores-late'

const askEveryMs = 5
const storesLateMs = 200

/** Notes that people add, and change field by field, on Dexie and `fetch`, with at most one thing wrong. */
export async function openPlantedNotes(world: World, fault?: PlantedFault) {
  const db = new Dexie(`notes-${world.device}`, {
    indexedDB: world.indexedDB,
    IDBKeyRange: world.IDBKeyRange,
  })
  db.version(1).stores({ notes: 'id', waiting: 'key', places: 'name' })
  await db.open()
  const notes = db.table<Note, string>('notes')
  const stored = db.table<Change, string>('waiting')
  const places = db.table<{ name: string; seq: number }, string>('places')
  const at = `${world.url}/${world.lab}`
  let inMemory: Change[] = []
  const keepsInMemory = fault === 'waits-in-memory'
  const listWaiting = async () => (keepsInMemory ? inMemory : await stored.toArray())
  const life = { isOver: false, isLost: false, made: 0 }

  /** Only forwards: an answer may have been overtaken. */
  async function store(rows: readonly Note[]) {
    for (const row of rows) {
      const held = await notes.get(row.id)
      if (!held || held.seq < row.seq) await notes.put(row)
    }
  }

  async function drop({ key }: Change) {
    if (keepsInMemory) inMemory = inMemory.filter((change) => change.key !== key)
    else await stored.delete(key)
  }

  async function push() {
    for (const change of await listWaiting()) {
      const response = await world.fetch(`${at}/changes`, {
        method: 'POST',
        body: JSON.stringify(change),
      })
      if (!response.ok && fault !== 'ignores-status') throw new Error('It is not taken.')
      const row: Note | undefined = response.ok ? await response.json() : undefined
      await db.transaction('rw', notes, stored, async () => {
        if (row && fault !== 'drops-early') await store([row])
        await drop(change)
      })
    }
  }

  const readStoredPlace = async () => (await places.get('own'))?.seq ?? 0

  async function readPlace(): Promise<number> {
    if (fault === 'ignores-disk') return Number(world.localStorage.getItem('seq') ?? 0)
    if (fault === 'asks-from-now' && life.isLost) {
      const response = await world.fetch(`${at}/now`)
      const { seq }: { seq: number } = await response.json()
      life.isLost = false
      return seq
    }
    return await readStoredPlace()
  }

  async function pull() {
    const since = await readPlace()
    const response = await world.fetch(`${at}/changes?since=${since}`)
    if (!response.ok) throw new Error('The server has trouble.')
    const text = fault === 'trusts-half' ? await readAsFarAsItGoes(response) : await response.text()
    const rows = text
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line): Note => JSON.parse(line))
    const seq = Number(response.headers.get('x-seq'))
    if (fault === 'ignores-disk') {
      if (rows.length === 0) return
      world.localStorage.setItem('seq', String(seq))
      await db.transaction('rw', notes, async () => await store(rows))
      return
    }
    if (seq === (await readStoredPlace())) return
    await db.transaction('rw', notes, places, async () => {
      await store(rows)
      await places.put({ name: 'own', seq })
    })
  }

  async function syncForEver() {
    while (!life.isOver) {
      try {
        await push()
        await pull()
      } catch {
        life.isLost = true
      }
      await new Promise((resolve) => setTimeout(resolve, askEveryMs))
    }
  }
  const syncing = syncForEver()

  async function readNotes(): Promise<Record<string, Pick<Note, Field>>> {
    return await db.transaction('r', notes, stored, async () => {
      const shown = new Map<string, Pick<Note, Field>>()
      for (const { id, title, color } of await notes.toArray()) shown.set(id, { title, color })
      for (const { id, fields } of await listWaiting()) {
        shown.set(id, { title: '', color: '', ...shown.get(id), ...fields })
      }
      return Object.fromEntries(shown)
    })
  }

  async function change(id: string, fields: Change['fields']) {
    life.made += 1
    // In their order, as the table lists them.
    const key = `${String(life.made).padStart(6, '0')}-${world.tab}-${id}`
    const own = { key: `${world.device}-${key}`, id, fields, at: world.now() }
    if (keepsInMemory) inMemory.push(own)
    else await stored.put(own)
  }

  return {
    read: readNotes,
    async close() {
      life.isOver = true
      await syncing
      db.close()
    },
    add: (id: string) => change(id, { title: `title ${id}`, color: `color ${id}` }),
    async set(field: Field, value: string, pick: number) {
      const shown = Object.entries(await readNotes()).sort()
      const [id, note] = shown[pick % Math.max(1, shown.length)] ?? []
      if (id === undefined) return
      const whole = fault === 'writes-whole' ? note : {}
      await change(id, { ...whole, [field]: value })
    },
  }
}

async function readAsFarAsItGoes(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  const reader = response.body?.getReader()
  try {
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      text += decoder.decode(part.value, { stream: true })
    }
  } catch {
    // What came is better than nothing.
  }
  return text
}

interface Disk {
  read(): string | undefined
  write(text: string): void
}

/** Their server, as a function. */
export function createPlantedServer(fault?: PlantedFault, disk?: Disk) {
  const saved: Saved | undefined = JSON.parse(disk?.read() ?? 'null') ?? undefined
  const stored = new Map(saved?.notes)
  const known = new Map(saved?.known)
  const times = new Map<string, number>()
  const state = { seq: saved?.seq ?? 0 }

  function save() {
    const all: Saved = { notes: [...stored], known: [...known], seq: state.seq }
    disk?.write(JSON.stringify(all))
  }

  /** A field of a note is set when it comes, or when it is later than what is there. */
  function mayApply(id: string, field: string, at: number): boolean {
    const place = `${id} ${field}`
    if (fault === 'trusts-clocks' && at < (times.get(place) ?? 0)) return false
    times.set(place, at)
    return true
  }

  function apply({ key, id: given, fields, at }: Change): Note | undefined {
    const isKnown = known.has(key) && fault !== 'applies-twice'
    const id = known.get(key) ?? given
    if (isKnown) return stored.get(id)
    state.seq += 1
    const isNew = !stored.has(id)
    const own = isNew && fault === 'sends-without-key' ? `note-${state.seq}` : id
    if (fault !== 'sends-without-key') known.set(key, own)
    const taken = Object.entries(fields).filter(([field]) => mayApply(own, field, at))
    const before = stored.get(own) ?? { title: '', color: '' }
    const next = { ...before, ...Object.fromEntries(taken), id: own, seq: state.seq }
    stored.set(own, next)
    return next
  }

  return async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    if (request.method === 'POST') {
      const row = apply((await request.json()) as Change)
      if (fault === 'stores-late') setTimeout(save, storesLateMs)
      else save()
      return Response.json(row)
    }
    if (pathname.endsWith('/now')) return Response.json({ seq: state.seq })
    const since = Number(searchParams.get('since'))
    const rows = [...stored.values()].filter(({ seq }) => seq > since)
    const lines = rows.sort((a, b) => a.seq - b.seq).map((row) => `${JSON.stringify(row)}\n`)
    return new Response(lines.join(''), { headers: { 'x-seq': String(state.seq) } })
  }
}

interface Saved {
  notes: [string, Note][]
  known: [string, string][]
  seq: number
}

/** The same as a server of its own, with notes for each lab: a kill takes its memory and leaves its disk. */
export function createPlantedStart(fault?: PlantedFault) {
  const disk = new Map<string, string>()
  let port = 0
  return async () => {
    const life = { isOver: false }
    const handlers = new Map<string, ReturnType<typeof createPlantedServer>>()
    function handlerOf(lab: string) {
      const known = handlers.get(lab)
      if (known) return known
      const made = createPlantedServer(fault, {
        read: () => disk.get(lab),
        write: (text) => void (life.isOver || disk.set(lab, text)),
      })
      handlers.set(lab, made)
      return made
    }
    const server = createServer(async (asked, response) => {
      let body = ''
      for await (const part of asked) body += part
      const { method = 'GET', url = '' } = asked
      const [, lab = ''] = url.split('/')
      const init = method === 'POST' ? { method, body } : { method }
      const answer = await handlerOf(lab)(new Request(`http://notes${url}`, init))
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      response.end(await answer.text())
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    const address = server.address()
    if (address && typeof address === 'object') port = address.port
    return {
      url: `http://127.0.0.1:${port}`,
      async kill() {
        life.isOver = true
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  }
}
