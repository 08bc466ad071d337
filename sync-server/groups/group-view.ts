import { toGroupAnswer } from '../../schema/api/groups.ts'
import type { GroupDocument } from '../../schema/group.ts'
import { idPattern } from '../../schema/id.ts'
import type { Document, Stored } from '../storage/documents/documents.ts'
import type { OpenRevision } from '../storage/documents/pouch.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import { findReadable, type StoredGroupMessage } from './group-documents.ts'

const rowsAtOnce = 100

/**
 * A group's database as one person may read it: what lies in their window, in the version that
 * does, and with `hasRecord` the group's record while they are a member. Every read looks at the group as it is
 * then, so that a feed shows nothing more from the moment when its reader left.
 * @param times how often they have come: with each time another's checkpoint is no longer theirs
 */
export function createGroupView(options: {
  stored: StoredDatabase<Document>
  group: { _id: string; find: () => Promise<GroupDocument | undefined> }
  userId: string
  times: number
  /** Is the group's record among its documents? Replicators get messages and lines alone. */
  hasRecord?: boolean
}): StoredDatabase<Document> {
  const { stored, group, userId, times, hasRecord = false } = options
  const { _id: groupId } = group
  const nameLocal = (id: string) => `${userId}!${times}!${id}`

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

  async function range(asked: Parameters<StoredDatabase<Document>['range']>[0]) {
    const show = await openWindow()
    const { limit = Number.POSITIVE_INFINITY } = asked
    const found: Stored<Document>[] = []
    let { startkey } = asked
    let last: string | undefined
    for (;;) {
      const page = await stored.range({
        ...asked,
        ...(startkey !== undefined && { startkey }),
        // The page begins with the last document of the one before it.
        limit: rowsAtOnce,
      })
      const fresh = page.filter(({ _id }) => _id !== last)
      found.push(...fresh.flatMap((doc) => show(doc) ?? []))
      if (found.length >= limit || page.length < rowsAtOnce) return found.slice(0, limit)
      last = page.at(-1)?._id
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
      const [show, found] = await Promise.all([openWindow(), stored.read(ids)])
      const shown = [...found].flatMap(([id, doc]) => {
        const one = show(doc)
        return one ? [[id, one] as const] : []
      })
      return new Map(shown)
    },
    listRevs: async (asked) => (await range(asked)).map(({ _id, _rev }) => ({ _id, _rev })),
    /** Reads on until a page is full: who pages takes a short one for the end. */
    async changes({ includeDocs = false, limit = rowsAtOnce, ...asked }) {
      const results: Awaited<ReturnType<typeof stored.changes>>['results'] = []
      let { since = 0 } = asked
      for (;;) {
        const left = limit - results.length
        const page = await stored.changes({ ...asked, since, limit: left, includeDocs: true })
        // Looked at after the read: what is written after somebody left cannot be in their window.
        const show = await openWindow()
        for (const { doc, ...change } of page.results) {
          const shown = doc && show(doc)
          if (shown) results.push({ ...change, ...(includeDocs && { doc: shown }) })
        }
        since = page.last_seq
        const isAtEnd = page.results.length < left || asked.descending === true
        if (isAtEnd || results.length >= limit) return { results, last_seq: since }
      }
    },
    updateSeq: stored.updateSeq,
    readTally: stored.readTally,
    info: stored.info,
    async findMissingRevisions(revs) {
      const [missing, readable] = await Promise.all([
        stored.findMissingRevisions(revs),
        this.read(Object.keys(revs)),
      ])
      const entries = Object.entries(revs).flatMap(([id, asked]) => {
        const row = readable.has(id) ? missing[id] : { missing: asked }
        return row ? [[id, row] as const] : []
      })
      return Object.fromEntries(entries)
    },
    async bulkGet(asked) {
      const [show, rows] = await Promise.all([openWindow(), stored.bulkGet(asked)])
      return rows.map(({ id, docs }) => ({
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
      const [show, doc] = await Promise.all([openWindow(), stored.readRevision(id, asked)])
      return doc && show(doc)
    },
    async readOpenRevisions(id, asked) {
      const [show, leaves] = await Promise.all([openWindow(), stored.readOpenRevisions(id, asked)])
      const shown = leaves?.flatMap((leaf): OpenRevision[] => {
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
