import pLimit from 'p-limit'
import { normalizeText } from '../../schema/helpers/text.ts'
import { idsFrom, type Seq } from '../storage/documents/documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import type { AccountsDocument, ClaimDocument } from './account-documents.ts'

const bucketCount = 8_192

/** Above this many new entries it sorts the whole list instead of inserting each. */
const placedOneByOneMax = 64

export type NameIndex = ReturnType<typeof createNameIndex>

const documentsAtOnce = 1_000

const fields = ['username', 'phone'] as const

type Field = (typeof fields)[number]

type Named = { name: string; owner: string }

/**
 * Finds people by two or more characters of their name or number. Keeps only those in memory, loads
 * them at the first search and catches up from the database's changes at each later one. About 250
 * bytes a name or number, never over 2,000.
 */
export function createNameIndex({ database }: { database: StoredDatabase<AccountsDocument> }) {
  const state = {} as {
    made?: { since: Seq; postings: Record<Field, NamePostings> }
    next?: Promise<void> | undefined
  }
  const oneAtATime = pLimit(1)

  /** A pending read may miss the latest write, so callers meanwhile share the next one. */
  function catchUp(): Promise<void> {
    state.next ??= oneAtATime(() => {
      state.next = undefined
      return state.made ? readNews(state.made) : make()
    })
    return state.next
  }

  async function make(): Promise<void> {
    const since = await database.updateSeq()
    const made = {
      since,
      postings: { username: createNamePostings(), phone: createNamePostings() },
    }
    for (const field of fields) {
      const range = idsFrom(`claim:${field}:`)
      for (;;) {
        const page = await database.range({ ...range, limit: documentsAtOnce })
        for (const claim of page) record(made.postings, claim._id, claim as ClaimDocument)
        const last = page.at(-1)
        if (!last || page.length < documentsAtOnce) break
        // It comes once more, which is harmless.
        range.startkey = last._id
      }
    }
    await readNews(made)
    state.made = made
  }

  async function readNews(made: { since: Seq; postings: Record<Field, NamePostings> }) {
    for (;;) {
      const { since } = made
      const page = await database.changes({ since, limit: documentsAtOnce, includeDocs: true })
      for (const { id, deleted, doc } of page.results) {
        record(made.postings, id, deleted ? undefined : (doc as ClaimDocument | undefined))
      }
      made.since = page.last_seq
      if (page.results.length < documentsAtOnce) return
    }
  }

  /** At most `limit` people: prefix matches first, each part in alphabetical order. */
  function listPeople(
    begin: readonly Iterable<Named>[],
    contain: readonly Iterable<Named>[],
    limit: number,
  ): string[] {
    const people = new Set<string>()
    for (const hits of [begin, contain]) {
      for (const { owner } of mergeByName(hits)) {
        people.add(owner)
        if (people.size === limit) return [...people]
      }
    }
    return [...people]
  }

  async function readPostings() {
    await catchUp()
    if (!state.made) throw new Error('The index of names was not made.')
    return state.made.postings
  }

  return {
    /** Ids of at most `limit` people with these digits in their number: prefix matches first. */
    async searchPhones(digits: string, limit: number): Promise<string[]> {
      const { phone } = await readPostings()
      return listPeople([phone.listBeginning(digits)], [phone.listContaining(digits)], limit)
    },

    /** Ids of at most `limit` people: prefix matches first, each part in alphabetical order. */
    async search(text: string, limit: number): Promise<string[]> {
      const { username, phone } = await readPostings()
      const wanted = normalizeText(text, 'NFKC').toLowerCase()
      const digits = /^[\d\s+().-]+$/.test(wanted) ? wanted.replace(/\D/g, '') : wanted
      const texts = [...new Set([wanted, digits])]
      const all = [username, phone]
      const begin = all.map((postings) => postings.listBeginning(wanted))
      const contain = all.flatMap((one) => texts.map((part) => one.listContaining(part)))
      return listPeople(begin, contain, limit)
    },

    /** How many names all searches so far have looked at. */
    looked: () =>
      fields.reduce((sum, field) => sum + (state.made?.postings[field].looked() ?? 0), 0),
  }
}

function record(
  postings: Record<Field, NamePostings>,
  id: string,
  claim: ClaimDocument | undefined,
) {
  const [, field, key] = /^claim:(username|phone):(.*)$/.exec(id) ?? []
  if (field === undefined || key === undefined) return
  const name = decodeURIComponent(key)
  // People sign in by a former name, but others do not find them by it.
  if (claim && claim.formerSince === undefined) postings[field as Field].set(name, claim.userId)
  else postings[field as Field].delete(name)
}

/** Several lists in alphabetical order as one. */
function* mergeByName(lists: readonly Iterable<Named>[]): Generator<Named> {
  const heads = lists
    .map((list) => list[Symbol.iterator]())
    .map((rest) => ({ rest, at: rest.next() }))
  for (;;) {
    const first = heads
      .filter(({ at }) => !at.done)
      .toSorted((a, b) => (a.at.value.name < b.at.value.name ? -1 : 1))[0]
    if (!first) return
    yield first.at.value
    first.at = first.rest.next()
  }
}

/** Slots of names: sorted up to `sorted`, then in order of arrival up to `length`. */
interface Bucket {
  slots: Uint32Array
  length: number
  sorted: number
}

/**
 * Indexes names by each two and three consecutive characters, so that a search scans only the list
 * of its rarest part. Lists share hash slots by chance and may hold other names. A name costs 4 to
 * 8 bytes in about twice as many lists as it has characters.
 */
function createNamePostings() {
  const names: (string | undefined)[] = []
  const owners: string[] = []
  const freeSlots: number[] = []
  const buckets: (Bucket | undefined)[] = Array.from({ length: bucketCount })
  const stats = { looked: 0 }

  const nameAt = (slot: number) => names[slot] ?? ''

  function add(slot: number) {
    for (const index of listBuckets(nameAt(slot))) {
      const bucket = buckets[index] ?? { slots: new Uint32Array(4), length: 0, sorted: 0 }
      buckets[index] = bucket
      if (bucket.length === bucket.slots.length) grow(bucket)
      bucket.slots[bucket.length] = slot
      bucket.length += 1
    }
  }

  function remove(slot: number) {
    for (const index of listBuckets(nameAt(slot))) {
      const bucket = buckets[index]
      const at = bucket?.slots.subarray(0, bucket.length).indexOf(slot) ?? -1
      if (!bucket || at === -1) continue
      bucket.slots.copyWithin(at, at + 1, bucket.length)
      bucket.length -= 1
      if (at < bucket.sorted) bucket.sorted -= 1
    }
  }

  /** The first place in a sorted list whose name does not come before the text. */
  function findPlace(slots: Uint32Array, length: number, text: string): number {
    let [low, high] = [0, length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (nameAt(slots[middle] ?? 0) < text) low = middle + 1
      else high = middle
    }
    return low
  }

  function sort(bucket: Bucket) {
    const { slots, length } = bucket
    if (length - bucket.sorted > placedOneByOneMax) {
      slots.subarray(0, length).sort((a, b) => (nameAt(a) < nameAt(b) ? -1 : 1))
      bucket.sorted = length
    }
    for (; bucket.sorted < length; bucket.sorted += 1) {
      const slot = slots[bucket.sorted] ?? 0
      const place = findPlace(slots, bucket.sorted, nameAt(slot))
      slots.copyWithin(place + 1, place, bucket.sorted)
      slots[place] = slot
    }
  }

  /** The shortest of the text's lists: holds every name with the text, and others. */
  function findList(text: string): Uint32Array {
    const lists = listBuckets(text, Math.min(3, text.length)).map((index) => buckets[index])
    const shortest = lists.toSorted((a, b) => (a?.length ?? 0) - (b?.length ?? 0))[0]
    if (!shortest || text.length < 2) return new Uint32Array()
    sort(shortest)
    return shortest.slots.subarray(0, shortest.length)
  }

  /** Searches the lists too: a map from names to places would cost more than all of them. */
  function findSlot(name: string): number | undefined {
    const slots = findList(name)
    const slot = slots[findPlace(slots, slots.length, name)]
    return slot !== undefined && nameAt(slot) === name ? slot : undefined
  }

  return {
    /** How many names were looked at by all searches so far. */
    looked: () => stats.looked,

    /** A name has one owner. Ignores names under two characters. */
    set(name: string, owner: string) {
      if (name.length < 2) return
      const known = findSlot(name)
      const slot = known ?? freeSlots.pop() ?? names.length
      owners[slot] = owner
      if (known !== undefined) return
      names[slot] = name
      add(slot)
    },

    delete(name: string) {
      const slot = findSlot(name)
      if (slot === undefined) return
      remove(slot)
      names[slot] = undefined
      owners[slot] = ''
      freeSlots.push(slot)
    },

    /** Names that begin with the text, of two characters or more, in alphabetical order. */
    *listBeginning(text: string): Generator<{ name: string; owner: string }> {
      const slots = findList(text)
      for (let at = findPlace(slots, slots.length, text); at < slots.length; at += 1) {
        const slot = slots[at] ?? 0
        stats.looked += 1
        if (!nameAt(slot).startsWith(text)) return
        yield { name: nameAt(slot), owner: owners[slot] ?? '' }
      }
    },

    /** Names with the text, of two characters or more, anywhere in them, in alphabetical order. */
    *listContaining(text: string): Generator<{ name: string; owner: string }> {
      for (const slot of findList(text)) {
        stats.looked += 1
        if (nameAt(slot).includes(text)) yield { name: nameAt(slot), owner: owners[slot] ?? '' }
      }
    },
  }
}

type NamePostings = ReturnType<typeof createNamePostings>

function grow(bucket: Bucket) {
  const larger = new Uint32Array(Math.ceil(bucket.slots.length * 1.5))
  larger.set(bucket.slots)
  bucket.slots = larger
}

/** The lists of a text, each once. @param size how many characters in a row; without it two, and three */
function listBuckets(text: string, size?: number): number[] {
  const found = new Set<number>()
  for (const length of size ? [size] : [2, 3]) {
    for (let at = 0; at + length <= text.length; at += 1) {
      let hash = length
      for (let index = at; index < at + length; index += 1) {
        hash = Math.imul(hash ^ text.charCodeAt(index), 0x9e3779b1)
        hash ^= hash >>> 15
      }
      found.add((hash >>> 0) % bucketCount)
    }
  }
  return [...found]
}
