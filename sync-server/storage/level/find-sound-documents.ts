import type { ClassicLevel } from 'classic-level'
import { bySequence, documentStore, type PouchMetadata } from './pouch-keys.ts'

export type OldLevel = ClassicLevel<string, Buffer>

/** The part of a LevelDB, or of a range in one, that is read here. */
export interface KeyedValues {
  iterator(range: { gte: string; lt: string }): AsyncIterable<readonly [string, Buffer]>
}

export interface SoundDocuments {
  /** Ids of unusable documents: unreadable, or with a part missing. */
  broken: string[]
  /** False for a key of a broken document. */
  isSound(key: string): boolean
  /** The highest sequence number, and the number of documents. */
  lastSeq: number
  count: number
}

/**
 * Scans a PouchDB database for documents with a broken or missing part: PouchDB would fail at each
 * of them whenever it reads the whole database.
 */
export async function findSoundDocuments(level: KeyedValues): Promise<SoundDocuments> {
  const owners = new Map<number, string>()
  const broken = new Set<string>()
  const sound = new Set<string>()
  const state = { lastSeq: 0, count: 0 }
  for await (const [key, value] of level.iterator(rangeOf(bySequence))) {
    const seq = Number(key.slice(bySequence.length))
    const id = parse(value)?._id
    state.lastSeq = Math.max(state.lastSeq, seq)
    if (typeof id === 'string') owners.set(seq, id)
  }
  for await (const [key, value] of level.iterator(rangeOf(documentStore))) {
    const id = key.slice(documentStore.length)
    const tree = parse(value)
    const seqs = [tree?.seq, tree?.rev_map?.[tree.winningRev ?? '']]
    if (tree && seqs.every((seq) => seq !== undefined && owners.get(seq) === id)) {
      sound.add(id)
      if (!tree.deleted) state.count += 1
    } else broken.add(id)
  }
  for (const id of owners.values()) if (!sound.has(id)) broken.add(id)

  return {
    ...state,
    broken: [...broken],
    isSound(key) {
      if (key.startsWith(documentStore)) return sound.has(key.slice(documentStore.length))
      if (!key.startsWith(bySequence)) return true
      return sound.has(owners.get(Number(key.slice(bySequence.length))) ?? '')
    },
  }
}

/** The inspected part of a document or of its revision metadata. */
interface Stored extends PouchMetadata {
  _id?: unknown
}

function parse(value: Buffer): Stored | undefined {
  try {
    const parsed: unknown = JSON.parse(value.toString())
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}

const rangeOf = (prefix: string) => ({ gte: prefix, lt: `${prefix}\uffff` })
