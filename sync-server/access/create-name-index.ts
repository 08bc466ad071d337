import pLimit from 'p-limit'
import type { StoredDatabase } from '../storage/create-stored-database.ts'
import type { Seq } from '../storage/documents.ts'
import type { AccountsDocument, ClaimDocument } from './account-documents.ts'

export type NameIndex = ReturnType<typeof createNameIndex>

const changesAtOnce = 1_000

interface Named {
  userId: string
  name: string
}

/**
 * Finds people by any part of their name or phone number. Holds the names alone in memory, about 100 bytes a
 * person, made at the first search and kept up to date from the database's changes at each further one.
 */
export function createNameIndex({ database }: { database: StoredDatabase<AccountsDocument> }) {
  const named = new Map<string, Named>()
  const state: { since: Seq } = { since: 0 }
  const oneAtATime = pLimit(1)

  async function catchUp(): Promise<void> {
    for (;;) {
      const { since } = state
      const page = await database.changes({ since, limit: changesAtOnce, includeDocs: true })
      for (const { id, deleted, doc } of page.results) {
        const name = readName(id)
        if (name === undefined) continue
        if (deleted || !doc) named.delete(id)
        else named.set(id, { userId: (doc as unknown as ClaimDocument).userId, name })
      }
      state.since = page.last_seq
      if (page.results.length < changesAtOnce) return
    }
  }

  return {
    /** Ids of at most `limit` people whose phone number has these digits in it: those that begin with them first. */
    async searchPhones(digits: string, limit: number): Promise<string[]> {
      await oneAtATime(catchUp)
      const hits = [...named].flatMap(([id, named]) =>
        id.startsWith('claim:phone:') && named.name.includes(digits) ? [named] : [],
      )
      return listPeople(hits, digits, limit)
    },

    /** Ids of at most `limit` people: names that begin with the text first, each in alphabetical order. */
    async search(text: string, limit: number): Promise<string[]> {
      await oneAtATime(catchUp)
      const wanted = text.normalize('NFKC').toLowerCase()
      const digits = /^[\d\s+().-]+$/.test(wanted) ? wanted.replace(/\D/g, '') : undefined
      const hits = [...named.values()].filter(
        ({ name }) =>
          name.includes(wanted) || (digits !== undefined && digits !== '' && name.includes(digits)),
      )
      return listPeople(hits, wanted, limit)
    },
  }
}

function listPeople(hits: readonly Named[], wanted: string, limit: number): string[] {
  const isFirst = (hit: Named) => Number(hit.name.startsWith(wanted))
  const sorted = hits.toSorted(
    (a, b) => isFirst(b) - isFirst(a) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  )
  return [...new Set(sorted.map(({ userId }) => userId))].slice(0, limit)
}

function readName(id: string): string | undefined {
  const [, key] = /^claim:(?:username|phone):(.*)$/.exec(id) ?? []
  return key === undefined ? undefined : decodeURIComponent(key)
}
