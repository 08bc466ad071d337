import pLimit from 'p-limit'
import { normalizeText } from '../../../schema/helpers/normalize-text.ts'
import type { Seq } from '../../storage/documents/documents.ts'
import { idsFrom } from '../../storage/documents/ids-from.ts'
import type { StoredDatabase } from '../../storage/stored-database.ts'
import type { AccountsDocument, ClaimDocument } from '../account-documents.ts'
import { createNamePostings, type NamePostings } from './name-postings.ts'

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
