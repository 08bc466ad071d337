import type {
  GroupAnswer,
  GroupChangesAnswer,
  GroupMessageDocument,
} from '../../schema/api/groups.ts'
import { createGroupView } from '../groups/group-view.ts'
import type { Groups } from '../groups/groups.ts'
import { nameGroupDatabase } from '../storage/documents/database-names.ts'
import type { Document, Seq } from '../storage/documents/documents.ts'
import { withoutRev } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'
import { createPageSize } from './read-query.ts'

/** One answer; the rest is asked for again. */
const answerMaxCharacters = 1024 * 1024

type Answered = GroupChangesAnswer['groups'][number]

/**
 * The changes of all of a person's groups: the place of each is one small read, and only those that
 * moved are opened.
 * @param asked.turn reads a page in the caller's turn (P12)
 */
export async function answerGroupChanges(options: {
  storage: Pick<Storage, 'database'>
  groups: Pick<Groups, 'listPlaces' | 'find'>
  userId: string
  since: Readonly<Record<string, Seq>>
  limit: number
  turn: <Result>(read: () => Promise<Result>) => Promise<Result>
}): Promise<GroupChangesAnswer> {
  const { storage, groups, userId, since, limit, turn } = options
  const size = createPageSize()
  const answered: Answered[] = []
  let [left, characters] = [limit, answerMaxCharacters]
  const places = await turn(() => groups.listPlaces(userId))
  const own = new Set(places.map(({ groupId }) => groupId))
  const gone = Object.keys(since).filter((id) => !own.has(id))
  for (const { groupId, times, seq } of places) {
    if (left <= 0 || characters <= 0) break
    const stored = storage.database<Document>(nameGroupDatabase(groupId))
    const from = readPlace(Object.hasOwn(since, groupId) ? since[groupId] : undefined, times)
    if (seq === from) continue
    const find = () => groups.find(groupId)
    const group = { _id: groupId, find }
    const view = createGroupView({ stored, group, userId, times, hasRecord: true })
    const found: Answered = {
      _id: groupId,
      isMember: false,
      results: [],
      last_seq: `${from}-${times}`,
    }
    let at: Seq = from
    for (;;) {
      const rows = Math.min(left, size.rows())
      const page = await turn(() => view.changes({ since: at, limit: rows, includeDocs: true }))
      for (const { seq, doc } of page.results) {
        if (doc?._id === groupId) found.group = withoutRev(doc) as unknown as GroupAnswer
        else if (doc) {
          const row = withoutRev(doc) as unknown as GroupMessageDocument
          found.results.push({ seq: `${seq}-${times}`, doc: row })
        }
      }
      at = page.last_seq
      const bytes = JSON.stringify(page.results).length
      size.record(page.results.length, bytes)
      left -= page.results.length
      characters -= bytes
      if (page.results.length < rows || left <= 0 || characters <= 0) break
    }
    if (at === from) continue
    const current = await groups.find(groupId)
    found.isMember = current?.members.some((one) => one.userId === userId) ?? false
    answered.push({ ...found, last_seq: `${at}-${times}` })
  }
  return { groups: answered, ...(gone.length > 0 && { gone }) }
}

/** Who has come once more since may read more than before, and begins again. */
function readPlace(since: Seq | undefined, times: number): number {
  const [, place, known] = /^(\d{1,15})-(\d{1,6})$/.exec(String(since)) ?? []
  return place !== undefined && Number(known) === times ? Number(place) : 0
}
