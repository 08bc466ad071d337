import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import type { GroupMarks } from '../../schema/api/groups.ts'
import { type MarkRises, noteRise, trimRises } from '../../schema/api/mark-rises.ts'
import { type ConversationDocument, newConversation } from '../../schema/conversation.ts'
import type { GroupDocument } from '../../schema/group.ts'
import { raisePeerMarks } from '../../schema/peer-marks.ts'
import type { Privacy } from '../access/privacy.ts'
import { atMost } from '../lib/at-most.ts'
import type { MarkedGroup } from '../messages/acceptance/conversation-acceptor.ts'
import type { MarkRise } from '../messages/proposals/decide-conversations.ts'
import {
  nameConversationsDatabase,
  nameGroupOrderDatabase,
} from '../storage/documents/database-names.ts'
import { idsFrom } from '../storage/documents/documents.ts'
import { DatabaseGone } from '../storage/documents/storage-errors.ts'
import type { DatabaseWrite, ReadPart } from '../storage/documents/transaction.ts'
import type { Storage } from '../storage/storage.ts'
import {
  type GroupMark,
  type GroupUntold,
  groupIndexName,
  groupUntoldKey,
  markKey,
  type NewestPlace,
  newestPlaceKey,
} from './group-documents.ts'

/** Members whose marks are kept in memory, over all groups. */
const marksRemembered = 200_000

/** One group's authors are told no more often, however many marks rise. */
const tellEveryMs = 250
const groupsRemembered = 20_000

const rowsAtOnce = 200

/** Times that one answer says of all members together. */
const risesToldMax = 4_096

/** Groups whose authors are told at the same time; each tells so many authors in one piece (P12). */
const groupsAtOnce = 2
const authorsAtOnce = 32

interface Marks {
  deliveredUpTo: number
  readUpTo: number
}

type MarksByMember = Map<string, GroupMark>

/** What a write that may move a group's smallest mark has to note in its transaction. */
interface MarksMove {
  /** What `note` reads of the groups' index. */
  readonly ids: readonly string[]
  note(read: ReadPart): GroupUntold[]
  /** Call once it is written, or has failed: then nobody knows what is stored. */
  finish(outcome: { isWritten: boolean; raised?: GroupMark | undefined }): void
}

/**
 * How far the members of a group have received and read: each raises their own mark, and
 * only when the smallest of the others' moves is an author told, by the marks of their own
 * conversation. A note in the index, written with whatever may move it, outlives a crash.
 */
export function createGroupMarks(options: {
  storage: Storage
  privacy: Pick<Privacy, 'sendsReceipts'>
  find: (groupId: string) => Promise<GroupDocument | undefined>
  isOfPerson: (userId: string, groupId: string) => Promise<boolean>
  onError: (error: unknown) => void
  now: () => number
}) {
  const { storage, privacy, find, isOfPerson, onError, now } = options
  const index = storage.database<GroupUntold>(groupIndexName)
  const kept = new LRUCache<string, MarksByMember>({ maxSize: marksRemembered })
  const loading = new Map<string, { found: MarksByMember; done: Promise<MarksByMember> }>()
  /** Moves that are being written, by group: until then nobody may take the note away. */
  const open = new Map<string, Set<MarksMove>>()
  const passes = new Map<string, { isDueAgain: boolean; done: Promise<void> }>()
  const inTurn = pLimit(groupsAtOnce)
  const closing = new AbortController()
  const toldAt = new LRUCache<string, number>(atMost(groupsRemembered))

  /** Every mark of a group. */
  async function load(group: GroupDocument): Promise<MarksByMember> {
    const { _id: groupId, members } = group
    const known = kept.get(groupId)
    if (known) return known
    const running = loading.get(groupId)
    if (running) return await running.done
    const found: MarksByMember = new Map()
    const done = readMarks(groupId, found)
    loading.set(groupId, { found, done })
    try {
      await done
      kept.set(groupId, found, { size: members.length + 1 })
      return found
    } finally {
      loading.delete(groupId)
    }
  }

  /** Marks only rise: what is written meanwhile is merged in either order. */
  async function readMarks(groupId: string, found: MarksByMember): Promise<MarksByMember> {
    const order = storage.database<GroupMark>(nameGroupOrderDatabase(groupId))
    let { startkey, endkey } = idsFrom(markKey(''))
    for (;;) {
      const page = await order.range({ startkey, endkey, limit: rowsAtOnce })
      for (const mark of page) merge(found, mark)
      const last = page.at(-1)
      if (!last || page.length < rowsAtOnce) return found
      startkey = `${last._id}\u0000`
      await setImmediate()
    }
  }

  /** When the marks of its members rose, by member. */
  async function readRises({ _id: groupId, members }: GroupDocument) {
    const order = storage.database<GroupMark>(nameGroupOrderDatabase(groupId))
    const most = Math.max(1, Math.floor(risesToldMax / 2 / members.length))
    const trim = (rises: MarkRises | undefined) => rises && trimRises(rises, most)
    const found = new Map<string, Pick<GroupMark, 'deliveredRises' | 'readRises'>>()
    for (let at = 0; at < members.length; at += rowsAtOnce) {
      const keys = members.slice(at, at + rowsAtOnce).map(({ userId }) => markKey(userId))
      for (const mark of (await order.read(keys)).values()) {
        const [deliveredRises, readRises] = [trim(mark.deliveredRises), trim(mark.readRises)]
        found.set(mark.userId, {
          ...(deliveredRises && { deliveredRises }),
          ...(readRises && { readRises }),
        })
      }
    }
    return found
  }

  function record(groupId: string, mark: GroupMark) {
    const known = kept.get(groupId) ?? loading.get(groupId)?.found
    if (known) merge(known, mark)
  }

  function beginMove(groupId: string): MarksMove {
    const key = groupUntoldKey(groupId)
    const move: MarksMove = {
      ids: [key],
      note(read) {
        open.set(groupId, (open.get(groupId) ?? new Set()).add(move))
        return read<GroupUntold>(groupIndexName).has(key) ? [] : [{ _id: key, groupId }]
      },
      finish({ isWritten, raised }) {
        const others = open.get(groupId)
        others?.delete(move)
        if (others?.size === 0) open.delete(groupId)
        if (!isWritten) kept.delete(groupId)
        else if (raised) record(groupId, raised)
        void schedule(groupId)
      },
    }
    return move
  }

  /** Tells what is to be told: what comes while a group is being told is told after that. */
  function schedule(groupId: string): Promise<void> {
    const running = passes.get(groupId)
    if (running) {
      running.isDueAgain = true
      return running.done
    }
    if (closing.signal.aborted) return Promise.resolve()
    const pass = { isDueAgain: false, done: Promise.resolve() }
    passes.set(groupId, pass)
    pass.done = run(groupId, pass)
    return pass.done
  }

  async function run(groupId: string, pass: { isDueAgain: boolean }) {
    try {
      do {
        await rest(groupId)
        pass.isDueAgain = false
        await inTurn(() => tell(groupId, pass))
        toldAt.set(groupId, performance.now())
      } while (pass.isDueAgain && !closing.signal.aborted)
    } catch (error) {
      kept.delete(groupId)
      if (!closing.signal.aborted) onError(error)
    } finally {
      passes.delete(groupId)
    }
  }

  /** A quiet group is told at once; in a busy one all marks of a moment share one pass. */
  async function rest(groupId: string) {
    const restMs = (toldAt.get(groupId) ?? Number.NEGATIVE_INFINITY) + tellEveryMs
    const leftMs = restMs - performance.now()
    if (leftMs > 0) await pause(leftMs, undefined, { signal: closing.signal, ref: false })
  }

  async function tell(groupId: string, pass: { isDueAgain: boolean }) {
    const group = await find(groupId)
    if (group) await tellAuthors(group)
    const key = groupUntoldKey(groupId)
    await index.update([key], (stored) => {
      const note = stored.get(key)
      const isAllTold = !pass.isDueAgain && !open.has(groupId) && !closing.signal.aborted
      return { put: note && isAllTold ? [{ ...note, _deleted: true }] : [], result: undefined }
    })
  }

  async function tellAuthors(group: GroupDocument) {
    const { _id: groupId, members } = group
    const marks = await load(group)
    const smallest = findSmallest(group, marks)
    const due: { mark: GroupMark; goal: Marks }[] = []
    for (const { userId } of members) {
      const mark = marks.get(userId)
      if (mark && isDue(mark, smallest(userId))) due.push({ mark, goal: smallest(userId) })
    }
    for (let at = 0; at < due.length && !closing.signal.aborted; at += authorsAtOnce) {
      const part = due.slice(at, at + authorsAtOnce)
      await Promise.all(part.map(({ mark, goal }) => tellAuthor(groupId, mark, goal)))
      await setImmediate()
    }
  }

  /** Raises the marks in an author's own conversation, and notes it: both or neither. */
  async function tellAuthor(groupId: string, { userId }: GroupMark, goal: Marks) {
    const { deliveredUpTo } = goal
    // Who tells nobody what they read does not hear it either.
    const readUpTo = (await privacy.sendsReceipts(userId)) ? goal.readUpTo : 0
    const own = nameConversationsDatabase(userId)
    const order = nameGroupOrderDatabase(groupId)
    const key = markKey(userId)
    try {
      const { result } = await storage.transact({
        isPatient: true,
        parts: [
          { name: own, ids: [groupId] },
          { name: order, ids: [newestPlaceKey, key] },
        ],
        decide(read) {
          // The group is over: nothing of it may come back.
          if (!read<NewestPlace>(order).has(newestPlaceKey))
            return { writes: [], result: undefined }
          const stored = read<ConversationDocument>(own).get(groupId) ?? newConversation(groupId)
          const at = now()
          const raised = raisePeerMarks(stored, { deliveredUpTo, readUpTo, at, silences: [] })
          const mark: GroupMark = read<GroupMark>(order).get(key) ?? blankMark(userId)
          const told: GroupMark = {
            ...mark,
            toldDeliveredUpTo: Math.max(mark.toldDeliveredUpTo, deliveredUpTo),
            toldReadUpTo: Math.max(mark.toldReadUpTo, readUpTo),
          }
          const isNews =
            told.toldDeliveredUpTo > mark.toldDeliveredUpTo || told.toldReadUpTo > mark.toldReadUpTo
          if (!isNews) return { writes: [], result: mark }
          return {
            writes: [
              { name: own, put: raised === stored ? [] : [raised] },
              { name: order, put: [told] },
            ],
            result: told,
          }
        },
      })
      if (result) record(groupId, result)
    } catch (error) {
      // Their account, or the group, went meanwhile: nobody is left to tell.
      if (!(error instanceof DatabaseGone)) throw error
    }
  }

  return {
    beginMove,

    /** What a person's marks in a group are written with; undefined where it is none of theirs. */
    async findMarked(userId: string, groupId: string): Promise<MarkedGroup | undefined> {
      if (!(await isOfPerson(userId, groupId))) return undefined
      const group = await find(groupId)
      const isMember = group?.members.some((one) => one.userId === userId)
      if (!isMember) return { parts: [], findNewest: () => group?.lastPlace ?? 0, raise: () => [] }
      const order = nameGroupOrderDatabase(groupId)
      const isReadingTold = await privacy.sendsReceipts(userId)
      const move = beginMove(groupId)
      const risen: { mark?: GroupMark } = {}
      const findNewest = (read: ReadPart) =>
        read<NewestPlace>(order).get(newestPlaceKey)?.place ?? 0
      return {
        parts: [
          { name: order, ids: [newestPlaceKey, markKey(userId)] },
          { name: groupIndexName, ids: move.ids },
        ],
        findNewest,
        raise(read, { upTo }: MarkRise): DatabaseWrite[] {
          const newest = findNewest(read)
          if (newest === 0) return []
          const stored = read<GroupMark>(order).get(markKey(userId)) ?? blankMark(userId)
          // What is to come has not been read yet, whatever a device says.
          const readUpTo = Math.min(upTo.readUpTo, newest)
          const deliveredUpTo = Math.min(Math.max(upTo.deliveredUpTo, readUpTo), newest)
          const next = {
            deliveredUpTo: Math.max(stored.deliveredUpTo, deliveredUpTo),
            readUpTo: isReadingTold ? Math.max(stored.readUpTo, readUpTo) : stored.readUpTo,
          }
          const note = (rises: MarkRises | undefined, before: number, upTo: number) =>
            noteRise(rises, { before, upTo, at: now() })
          const { hiddenUpTo = 0 } = stored
          // What was read in secret counts as read with the next rise, which was later.
          const secret = Math.min(Math.max(hiddenUpTo, stored.readUpTo), next.readUpTo)
          const readRises = noteRise(stored.readRises, {
            ...{ before: stored.readUpTo, upTo: secret },
            at: 0,
          })
          const mark: GroupMark = {
            ...stored,
            ...next,
            ...(!isReadingTold && { hiddenUpTo: Math.max(hiddenUpTo, readUpTo) }),
            deliveredRises: note(stored.deliveredRises, stored.deliveredUpTo, next.deliveredUpTo),
            readRises: note(readRises, secret, next.readUpTo),
          }
          risen.mark = mark
          return [
            { name: order, put: [mark] },
            { name: groupIndexName, put: move.note(read) },
          ]
        },
        settle(isWritten) {
          if (risen.mark) move.finish({ isWritten, raised: risen.mark })
        },
      }
    },

    /** How far each of the others is, and the smallest of each, as this member may know it. */
    async list(userId: string, group: GroupDocument): Promise<GroupMarks> {
      const [marks, rises] = await Promise.all([load(group), readRises(group)])
      const isReadingTold = await privacy.sendsReceipts(userId)
      const timesOf = (memberId: string) => {
        const { readRises: times, ...delivered } = rises.get(memberId) ?? {}
        return { ...delivered, ...(isReadingTold && times && { readRises: times }) }
      }
      const hide = ({ deliveredUpTo, readUpTo }: Marks) => ({
        deliveredUpTo,
        readUpTo: isReadingTold ? readUpTo : 0,
      })
      const others = group.members.filter((one) => one.userId !== userId)
      return {
        marks: others.map((one) => ({
          userId: one.userId,
          ...hide(marksSince(one.joinedPlace, marks.get(one.userId))),
          ...timesOf(one.userId),
        })),
        ...hide(findSmallest(group, marks)(userId)),
      }
    },

    /** The author has written up to there. Part of the message's own write. */
    noteWritten(read: ReadPart, groupId: string, userId: string, place: number): GroupMark {
      const stored = read<GroupMark>(nameGroupOrderDatabase(groupId)).get(markKey(userId))
      return { ...(stored ?? blankMark(userId)), wroteUpTo: place }
    },
    record,

    /** Tells what a crash left untold. */
    async heal(): Promise<void> {
      for (const { groupId } of await index.range(idsFrom(groupUntoldKey('')))) {
        if (closing.signal.aborted) return
        await schedule(groupId)
      }
    },

    /** Stops telling; the next start goes on. */
    drop: () => closing.abort(),
    async close() {
      closing.abort()
      await Promise.all([...passes.values()].map(({ done }) => done))
    },
  }
}

function blankMark(userId: string): GroupMark {
  const told = { toldDeliveredUpTo: 0, toldReadUpTo: 0 }
  return { _id: markKey(userId), userId, deliveredUpTo: 0, readUpTo: 0, wroteUpTo: 0, ...told }
}

function merge(marks: MarksByMember, mark: GroupMark) {
  const before = marks.get(mark.userId) ?? blankMark(mark.userId)
  marks.set(mark.userId, {
    _id: mark._id,
    userId: mark.userId,
    deliveredUpTo: Math.max(before.deliveredUpTo, mark.deliveredUpTo),
    readUpTo: Math.max(before.readUpTo, mark.readUpTo),
    wroteUpTo: Math.max(before.wroteUpTo, mark.wroteUpTo),
    toldDeliveredUpTo: Math.max(before.toldDeliveredUpTo, mark.toldDeliveredUpTo),
    toldReadUpTo: Math.max(before.toldReadUpTo, mark.toldReadUpTo),
  })
}

/** Nothing from before a member came waits for them. */
function marksSince(joinedPlace: number, mark: GroupMark | undefined): Marks {
  return {
    deliveredUpTo: Math.max(joinedPlace, mark?.deliveredUpTo ?? 0),
    readUpTo: Math.max(joinedPlace, mark?.readUpTo ?? 0),
  }
}

/** Is there something of theirs that they were not told of yet, with so much to tell? */
function isDue(mark: GroupMark, goal: Marks): boolean {
  const { wroteUpTo, toldDeliveredUpTo, toldReadUpTo } = mark
  return (
    (goal.deliveredUpTo > toldDeliveredUpTo && wroteUpTo > toldDeliveredUpTo) ||
    (goal.readUpTo > toldReadUpTo && wroteUpTo > toldReadUpTo)
  )
}

/** @returns the smallest marks of all members but one; 0 where there is nobody else */
function findSmallest(
  { members }: GroupDocument,
  marks: ReadonlyMap<string, GroupMark>,
): (userId: string) => Marks {
  const find = (field: keyof Marks) => {
    const two = [
      { userId: '', upTo: Number.POSITIVE_INFINITY },
      { userId: '', upTo: Number.POSITIVE_INFINITY },
    ] as [{ userId: string; upTo: number }, { userId: string; upTo: number }]
    for (const { userId, joinedPlace } of members) {
      const upTo = marksSince(joinedPlace, marks.get(userId))[field]
      if (upTo < two[0].upTo) two.splice(0, 2, { userId, upTo }, two[0])
      else if (upTo < two[1].upTo) two[1] = { userId, upTo }
    }
    return (userId: string) => {
      const { upTo } = two[0].userId === userId ? two[1] : two[0]
      return Number.isFinite(upTo) ? upTo : 0
    }
  }
  const [delivered, read] = [find('deliveredUpTo'), find('readUpTo')]
  return (userId) => ({ deliveredUpTo: delivered(userId), readUpTo: read(userId) })
}
