import {
  type GroupAnswer,
  type GroupChangesAnswer,
  type GroupMessageDocument,
  toGroupPart,
} from '../../schema/api/groups.ts'
import { createGroupView } from '../groups/group-view.ts'
import type { Groups } from '../groups/groups.ts'
import { createPageSize } from '../lib/page-size.ts'
import { nameGroupDatabase } from '../storage/documents/database-names.ts'
import type { Document, Seq } from '../storage/documents/documents.ts'
import { withoutRev } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'

/** One answer; the rest is asked for again. */
const answerMaxCharacters = 1024 * 1024

/** The longer it takes, the more is lost if the answer never arrives: a device waits 30 s for one. */
const answerMs = 2_000

type Answered = GroupChangesAnswer['groups'][number]

/**
 * The changes of all of a person's groups: the place of each is one small read, and only those that
 * moved are opened. After two seconds it says how far it is, be it past what its reader may not read,
 * which may be long: there the next one goes on.
 * @param options.turn reads a page in the caller's turn (P12)
 * @param options.now ms of a monotonic clock
 */
export async function answerGroupChanges(options: {
  storage: Pick<Storage, 'database'>
  groups: Pick<Groups, 'listPlaces' | 'find'>
  userId: string
  since: Readonly<Record<string, Seq>>
  limit: number
  records?: Readonly<Record<string, number>> | undefined
  turn: <Result>(read: () => Promise<Result>) => Promise<Result>
  now?: () => number
}): Promise<GroupChangesAnswer> {
  const { storage, groups, userId, since, limit, records = {}, turn } = options
  const { now = () => performance.now() } = options
  const size = createPageSize()
  const answered: Answered[] = []
  let [left, characters] = [limit, answerMaxCharacters]
  const places = await turn(() => groups.listPlaces(userId))
  const own = new Set(places.map(({ groupId }) => groupId))
  const gone = new Set(Object.keys(since).filter((id) => !own.has(id)))
  const endsAt = now() + answerMs
  const isOver = () => left <= 0 || characters <= 0 || now() >= endsAt
  for (const { groupId, times, seq } of places) {
    // An answer without groups would be the end.
    if (answered.length > 0 && isOver()) break
    const stored = storage.database<Document>(nameGroupDatabase(groupId))
    const from = readPlace(Object.hasOwn(since, groupId) ? since[groupId] : undefined, times)
    if (seq === from) continue
    const find = () => groups.find(groupId)
    const group = { _id: groupId, find }
    const view = createGroupView({ stored, group, userId, times, hasRecord: true, turn })
    const found: Answered = {
      _id: groupId,
      isMember: false,
      results: [],
      last_seq: `${from}-${times}`,
    }
    let at: Seq = from
    for (;;) {
      const rows = Math.min(left, size.rows())
      const page = await view.changes({ since: at, limit: rows, includeDocs: true })
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
      if (page.isAtEnd || isOver()) break
    }
    if (at === from) continue
    const current = await groups.find(groupId)
    // What is left of a group that is over is still being taken, or a crash left it: nobody asks again.
    if (!current) {
      gone.add(groupId)
      continue
    }
    found.isMember = current.members.some((one) => one.userId === userId)
    const known = Object.hasOwn(records, groupId) ? records[groupId] : undefined
    const part = found.group && known !== undefined ? toGroupPart(current, known) : undefined
    if (part && found.isMember) {
      found.part = part
      delete found.group
    }
    answered.push({ ...found, last_seq: `${at}-${times}` })
  }
  return { groups: answered, ...(gone.size > 0 && { gone: [...gone] }) }
}

/** Who has come once more since may read more than before, and begins again. */
function readPlace(since: Seq | undefined, times: number): number {
  const [, place, known] = /^(\d{1,15})-(\d{1,6})$/.exec(String(since)) ?? []
  return place !== undefined && Number(known) === times ? Number(place) : 0
}
