import { toGroupAnswer } from '../../schema/api/groups.ts'
import type { GroupDocument } from '../../schema/group.ts'
import { must } from '../../schema/helpers/assertions.ts'
import { idPattern } from '../../schema/id.ts'
import { createPageSize } from '../lib/page-size.ts'
import type { OpenRevision } from '../storage/documents/database.ts'
import type { ChangesPage, Document, Stored } from '../storage/documents/documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import { findReadable, type StoredGroupMessage } from './group-documents.ts'

type Asked<Call extends 'range' | 'changes'> = Parameters<StoredDatabase<Document>[Call]>[0]

export interface GroupView extends StoredDatabase<Document> {
  /**
   * What its reader may read of one page: few rows, or none, are the end only where `isAtEnd` says
   * so. What lies before somebody came may be long.
   */
  changes(asked: Asked<'changes'>): Promise<ChangesPage<Document> & { isAtEnd: boolean }>
}

/**
 * A group's database as one person may read it: what lies in their window, in the version that
 * does, and with `hasRecord` the group's record while they are a member. Every read looks at the group as it is
 * then, so that a feed shows nothing more from the moment when its reader left.
 * @param times how often they have come: with each time another's checkpoint is no longer theirs
 * @param turn reads each page in its reader's turn (P12): a call may read many
 */
export function createGroupView(options: {
  stored: StoredDatabase<Document>
  group: { _id: string; find: () => Promise<GroupDocument | undefined> }
  userId: string
  times: number
  /** Is the group's record among its documents? Replicators get messages and lines alone. */
  hasRecord?: boolean
  turn: <Result>(read: () => Promise<Result>) => Promise<Result>
}): GroupView {
  const { stored, group, userId, times, hasRecord = false, turn } = options
  const { _id: groupId } = group
  const nameLocal = (id: string) => `${userId}!${times}!${id}`
  const size = createPageSize()
  /** Did the last page of changes show nothing? */
  let isBare = false

  /** @returns the function that shows a document as the person may read it */
  async function openWindow() {
    const current = await group.find()
    return <T extends Document & { _rev?: string }>(doc: T): T | undefined => {
      if (!current || !idPattern.test(doc._id)) return undefined
      const { _rev, ...body } = doc
      const isMember = hasRecord && current.members.some((one) => one.userId === userId)
      const shown =
        doc._id === groupId
          ? isMember && toGroupAnswer(current)
          : findReadable(current, userId, body as unknown as StoredGroupMessage)
      if (!shown) return undefined
      // Its readers get a document of the same revision, with what is theirs to read of it.
      return { ...shown, ...(_rev !== undefined && { _rev }), ...pickTree(doc) } as unknown as T
    }
  }

  /** The group is looked at after the read: what is written after somebody left is not in their window. */
  const look = <Found>(read: () => Promise<Found>) =>
    turn(async () => {
      const found = await read()
      return { found, show: await openWindow() }
    })

  function recordSize(page: readonly object[]) {
    size.record(page.length, JSON.stringify(page).length)
  }

  async function range(asked: Asked<'range'>) {
    const { limit = Number.POSITIVE_INFINITY } = asked
    const all: Stored<Document>[] = []
    let { startkey } = asked
    let last: string | undefined
    for (;;) {
      // The page begins with the last document of the one before it.
      const rows = size.rows() + 1
      const from = startkey === undefined ? {} : { startkey }
      const { found, show } = await look(() => stored.range({ ...asked, ...from, limit: rows }))
      const fresh = found.filter(({ _id }) => _id !== last)
      all.push(...fresh.flatMap((doc) => show(doc) ?? []))
      if (all.length >= limit || found.length < rows) return all.slice(0, limit)
      recordSize(found)
      last = found.at(-1)?._id
      startkey = last
    }
  }

  const refuseWrite = () => Promise.reject(new Error('a view is not written'))

  return {
    name: stored.name,
    update: refuseWrite,
    insert: refuseWrite,
    range,
    async read(ids) {
      const { found, show } = await look(() => stored.read(ids))
      const shown = [...found].flatMap(([id, doc]) => {
        const one = show(doc)
        return one ? [[id, one] as const] : []
      })
      return new Map(shown)
    },
    listRevs: async (asked) => (await range(asked)).map(({ _id, _rev }) => ({ _id, _rev })),
    async changes({ includeDocs = false, limit = Number.POSITIVE_INFINITY, ...asked }) {
      // Behind a page that showed nothing more is read than was asked for: much may lie there.
      const rows = isBare ? size.rows() : Math.min(limit, size.rows())
      const { found, show } = await look(() =>
        stored.changes({ ...asked, limit: rows, includeDocs: true }),
      )
      recordSize(found.results)
      const shown = found.results.flatMap(({ doc, ...change }) => {
        const one = doc && show(doc)
        return one ? [{ ...change, ...(includeDocs && { doc: one }) }] : []
      })
      isBare = shown.length === 0
      const results = shown.slice(0, limit)
      if (results.length < shown.length) {
        return { results, last_seq: must(results.at(-1), 'a row').seq, isAtEnd: false }
      }
      const isAtEnd = found.results.length < rows || asked.descending === true
      return { results, last_seq: found.last_seq, isAtEnd }
    },
    updateSeq: stored.updateSeq,
    readTally: stored.readTally,
    info: stored.info,
    async findMissingRevisions(revs) {
      const { found, show } = await look(async () => ({
        missing: await stored.findMissingRevisions(revs),
        documents: await stored.read(Object.keys(revs)),
      }))
      const entries = Object.entries(revs).flatMap(([id, asked]) => {
        const doc = found.documents.get(id)
        const row = doc && show(doc) ? found.missing[id] : { missing: asked }
        return row ? [[id, row] as const] : []
      })
      return Object.fromEntries(entries)
    },
    async bulkGet(asked) {
      const { found, show } = await look(() => stored.bulkGet(asked))
      return found.map(({ id, docs }) => ({
        id,
        docs: docs.map((row) => {
          if (!('ok' in row)) return row
          const ok = show(row.ok)
          const { _rev: rev } = row.ok
          return ok ? { ok } : { error: { id, rev, error: 'not_found', reason: 'missing' } }
        }),
      }))
    },
    async readRevision(id, asked) {
      const { found, show } = await look(() => stored.readRevision(id, asked))
      return found && show(found)
    },
    async readOpenRevisions(id, asked) {
      const { found, show } = await look(() => stored.readOpenRevisions(id, asked))
      const shown = found?.flatMap((leaf): OpenRevision[] => {
        if (!('ok' in leaf)) return [leaf]
        const ok = show(leaf.ok)
        return ok ? [{ ok }] : []
      })
      return shown && shown.length > 0 ? shown : undefined
    },
    async readLocal(id) {
      const doc = await stored.readLocal(nameLocal(id))
      return doc && { ...doc, _id: `_local/${id}` }
    },
    writeLocal: (id, doc) => stored.writeLocal(nameLocal(id), doc),
    removeLocal: (id) => stored.removeLocal(nameLocal(id)),
  }
}

/** What replicators read beside a document. */
function pickTree(doc: object): object {
  const tree = Object.entries(doc).filter(([field]) => /^_(revisions|deleted)$/.test(field))
  return Object.fromEntries(tree)
}
