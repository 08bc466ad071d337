import type { GroupLineDocument } from '../../schema/api/groups.ts'
import {
  decideGroupChange,
  type GroupDecision,
  type GroupDocument,
  type GroupLine,
  type GroupLineChange,
  type GroupRefusal,
  refusalOfGroup,
} from '../../schema/group.ts'
import { groupBy } from '../../schema/helpers/lists.ts'
import { idPattern } from '../../schema/id.ts'
import type { Privacy } from '../access/privacy.ts'
import type { Relations } from '../access/relations.ts'
import type { MessageRate } from '../budget/message-rate.ts'
import type { StorageQuota } from '../budget/storage-quota.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import { deriveId } from '../lib/derive-id.ts'
import type { MessageFiles } from '../messages/copies/message-files.ts'
import type { NewMessage } from '../push/push-news.ts'
import type { Connections } from '../realtime/connections.ts'
import { nameGroupDatabase, nameGroupOrderDatabase } from '../storage/documents/database-names.ts'
import { type Document, idsFrom } from '../storage/documents/documents.ts'
import type { ReadPart } from '../storage/documents/transaction.ts'
import type { Storage } from '../storage/storage.ts'
import { createGroupBounds } from './group-bounds.ts'
import {
  askKey,
  type GroupAsk,
  type GroupIndexDocument,
  type GroupOfPerson,
  type GroupOver,
  groupIndexName,
  groupOfPersonKey,
  groupOverKey,
  joinGroup,
  type NewestPlace,
  newestPlaceKey,
  placeKey,
  type StoredGroupMessage,
} from './group-documents.ts'
import { createGroupInvites } from './group-invites.ts'
import { createGroupLine } from './group-line.ts'
import { createGroupMarks } from './group-marks.ts'
import { createGroupMessages } from './group-messages.ts'

/** Of the memberships that a group's record keeps nobody takes more than this. */
const timesMax = 50

const peopleAtOnce = 32

export type Groups = ReturnType<typeof createGroups>

/** Who asked for what, and how far they had seen the group then. */
export interface AskedGroupChange {
  groupId: string
  actorId: string
  /** The request's id, and its line's: twice is once (P2). */
  requestId: string
  change: GroupLineChange
  /** Of who joins: what they have of the group's link. */
  code?: string
  /** Have the people that it brings in asked for it? */
  isAskedFor?: boolean
  /** Without it they have seen all of it. */
  seenUpTo?: number | undefined
}

/**
 * Groups, each in a database of its own. Its record and the line of each change are written
 * together, and so is the list of people: a crash leaves no change without its line (P14).
 */
export function createGroups(options: {
  storage: Storage
  relations: Pick<Relations, 'canReach' | 'isKnown'>
  privacy: Pick<Privacy, 'refusesFirst' | 'refusesGroups' | 'sendsReceipts'>
  rate: Pick<MessageRate, 'take' | 'giveBack' | 'describe' | 'recordRefused'>
  quota: Pick<StorageQuota, 'look'>
  connections: Pick<Connections, 'tell' | 'tellText' | 'tellBest' | 'has'>
  files: MessageFiles
  /** Keeps the picture that this group's record names, and no other. */
  settlePictures: (groupId: string) => Promise<void>
  /** Called with each new message once for each member who did not write it. Returns at once. */
  onNew: (message: NewMessage) => void
  /** Are there bounds on what one person does in a time? */
  isBounded: boolean
  onError: (error: unknown) => void
  now?: () => number
}) {
  const { storage, relations, privacy, rate, connections, onError, now = Date.now } = options
  const { settlePictures } = options
  const index = storage.database<GroupIndexDocument>(groupIndexName)
  const bounds = createGroupBounds({ isOn: options.isBounded, now })

  /** The group as stored, whoever asks; undefined also once it is over. */
  async function find(groupId: string): Promise<GroupDocument | undefined> {
    if (!idPattern.test(groupId)) return undefined
    const [records, order] = await Promise.all([
      storage.database<GroupDocument>(nameGroupDatabase(groupId)).read([groupId]),
      storage.database<NewestPlace>(nameGroupOrderDatabase(groupId)).read([newestPlaceKey]),
    ])
    return joinGroup(records.get(groupId), order.get(newestPlaceKey))
  }

  /** All writes of a group pass here: what was announced last is where it is. */
  async function readSeq(groupId: string) {
    const name = nameGroupDatabase(groupId)
    const before = storage.signals.lastSeq(name)
    if (typeof before === 'number') return before
    const seq = await storage.database(name).updateSeq()
    storage.signals.observe(name, { before, seq, isSame: false })
    return seq
  }

  async function findOwn(userId: string, groupId: string): Promise<GroupOfPerson | undefined> {
    if (!idPattern.test(groupId)) return undefined
    const key = groupOfPersonKey(userId, groupId)
    return (await index.read([key])).get(key) as GroupOfPerson | undefined
  }

  /** The groups that this person is or was in. */
  async function listOwn(userId: string): Promise<GroupOfPerson[]> {
    return (await index.range(idsFrom(`of:${userId}:`))) as GroupOfPerson[]
  }

  /** Which of these ids are of groups that are over. */
  async function listOver(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await index.read(ids.map(groupOverKey))
    return new Set(ids.filter((id) => found.has(groupOverKey(id))))
  }

  /**
   * Who among them may be brought in: who lets the actor add them, or asks for it, and has nobody of
   * the group's id, whose messages would go astray.
   */
  async function findAddable(asked: AskedGroupChange): Promise<ReadonlySet<string>> {
    const { actorId, groupId, change, isAskedFor = false } = asked
    const wanted = [...new Set(listIncoming(asked))]
    if (wanted.length === 0) return new Set()
    const group = await find(groupId)
    const timesOf = (userId: string) =>
      group?.former.filter((one) => one.userId === userId).length ?? 0
    const isWilling = async (userId: string) =>
      change.kind === 'join' || isAskedFor
        ? await relations.isKnown(userId)
        : (await relations.canReach(actorId, userId)) === 'delivered' &&
          !(await privacy.refusesFirst(actorId, userId)) &&
          !(await privacy.refusesGroups(actorId, userId))
    const isAddable = async (userId: string) =>
      (await isWilling(userId)) &&
      (await relations.canReach(userId, groupId)) === 'unknown_person' &&
      timesOf(userId) < timesMax
    const found = new Set<string>()
    for (let at = 0; at < wanted.length; at += peopleAtOnce) {
      const part = wanted.slice(at, at + peopleAtOnce)
      const known = await Promise.all(part.map(isAddable))
      part.forEach((userId, place) => {
        if (known[place]) found.add(userId)
      })
    }
    return found
  }

  /** @throws RequestRefused `too_many_messages`: a change is a message to all of them */
  function takeTurns(actorId: string, count: number) {
    const seconds = rate.take(actorId, count)
    if (seconds === 0) return
    rate.recordRefused()
    const headers = { 'retry-after': String(seconds), ...rate.describe(actorId) }
    throw new RequestRefused('too_many_messages', { headers })
  }

  /**
   * @param isCounted false for what nobody asked for: it waits for nobody's turn
   * @returns the group after it, and whether this made a line
   */
  async function change(asked: AskedGroupChange, { isCounted = true } = {}) {
    const { actorId } = asked
    // Each of them has to be looked up, and is told.
    if (isCounted) takeTurns(actorId, 1 + listIncoming(asked).length)
    const taken = isCounted ? bounds.take(actorId, asked.change) : undefined
    let isNew = false
    try {
      const changed = await apply(asked)
      isNew = changed.isNew
      return changed
    } finally {
      if (!isNew) taken?.giveBack()
    }
  }

  async function apply(asked: AskedGroupChange) {
    const { groupId, actorId, requestId } = asked
    const addable = await findAddable(asked)
    // Somebody else's account or customer would be shadowed by a group of the same id.
    const isTaken =
      asked.change.kind === 'create' &&
      (await relations.canReach(actorId, groupId)) !== 'unknown_person'
    if (isTaken) throw refused(refusalOfGroup('group_exists'))
    const names = { group: nameGroupDatabase(groupId), order: nameGroupOrderDatabase(groupId) }
    const incoming = [...new Set(listIncoming(asked))]
    const people = new Set([actorId, ...incoming])
    const peopleKeys = [...people].map((userId) => groupOfPersonKey(userId, groupId))
    const asks = asked.change.kind === 'create' ? [] : incoming.map(askKey)
    // Who goes is waited for no longer.
    const isDeparture = asked.change.kind === 'leave' || asked.change.kind === 'remove'
    const move = isDeparture ? marks.beginMove(groupId) : undefined
    const written = storage.transact({
      parts: [
        { name: names.group, ids: [groupId, requestId] },
        { name: names.order, ids: [newestPlaceKey, ...asks] },
        { name: groupIndexName, ids: [groupOverKey(groupId), ...peopleKeys, ...(move?.ids ?? [])] },
      ],
      decide: (read) => {
        const decided = decideStored(read, { asked, names, addable, now: now() })
        const { decision } = decided
        if (decision.kind !== 'accept') return { writes: [], result: decided }
        const { next, line } = decision
        const times = countTimes(read, { groupId, line, actorId })
        // Who is in does not wait any more, also once they are out again.
        const answered = asks.flatMap((key) => {
          const found = read<GroupAsk>(names.order).get(key)
          return found ? [{ ...found, _deleted: true as const }] : []
        })
        return {
          // The line before who may read it, where each is written by itself.
          writes: [
            {
              name: names.order,
              put: [{ _id: newestPlaceKey, place: line.place }, ...answered],
              create: [{ _id: placeKey(line.place), messageId: requestId }],
            },
            { name: names.group, put: [toLineDocument(asked, line, now()), next] },
            { name: groupIndexName, put: [...times, ...(move?.note(read) ?? [])] },
          ],
          result: decided,
        }
      },
    })
    await written.then(
      () => move?.finish({ isWritten: true }),
      () => move?.finish({ isWritten: false }),
    )
    const { result } = await written
    const { decision, stored } = result
    if (decision.kind === 'refuse') throw refused(decision.refusal)
    if (decision.kind === 'keep') return { group: stored, isNew: false }
    const { next, line, isOver } = decision
    const isCreated = line.change.kind === 'create'
    lines.tell(groupId, isCreated ? [actorId, ...line.userIds] : line.userIds)
    if (isOver) await finish(next)
    else if (line.change.kind === 'picture') await settlePictures(groupId)
    return { group: isOver ? undefined : next, isNew: true }
  }

  /** Takes what is left of a group that is over: nobody reads it from then on. */
  async function finish({ _id: groupId, members, former }: GroupDocument) {
    const people = new Set([...members, ...former].map(({ userId }) => userId))
    const keys = [...people].map((userId) => groupOfPersonKey(userId, groupId))
    const over = groupOverKey(groupId)
    await index.update([over, ...keys], (stored) => ({
      put: [
        { _id: over, overAt: now() },
        ...keys.flatMap((key) => {
          const own = stored.get(key)
          return own ? [{ ...own, _deleted: true as const }] : []
        }),
      ],
      result: undefined,
    }))
    await messages.releaseAll(groupId)
    await settlePictures(groupId)
    await storage.destroy(nameGroupOrderDatabase(groupId))
    await storage.destroy(nameGroupDatabase(groupId))
  }

  const lines = createGroupLine({ signals: storage.signals, connections, find, onError })
  const marks = createGroupMarks({
    storage,
    privacy,
    find,
    isOfPerson: async (userId, groupId) => (await findOwn(userId, groupId)) !== undefined,
    onError,
    now,
  })
  const messages = createGroupMessages({ ...options, now, find, tell: lines.tell, marks })
  const invites = createGroupInvites({
    ...{ storage, find, change, tell: lines.hint, now },
    isKnown: relations.isKnown,
    takeJoin: (userId) => bounds.take(userId, { kind: 'join' }),
    takeTurn: (userId) => takeTurns(userId, 1),
  })

  return {
    find,
    findOwn,
    listOwn,
    listOver,

    /** Where each of a person's groups is: a small read each at first, many at once. */
    async listPlaces(userId: string) {
      const own = await listOwn(userId)
      return await Promise.all(
        own.map(async ({ groupId, times }) => ({ groupId, times, seq: await readSeq(groupId) })),
      )
    },
    /** The addresses of the files that this person reads in these messages. */
    async listMediaUrls(
      userId: string,
      asked: readonly { groupId: string; messageId: string }[],
    ): Promise<string[]> {
      const own = await index.read(asked.map(({ groupId }) => groupOfPersonKey(userId, groupId)))
      const readable = asked.filter(({ groupId }) => own.has(groupOfPersonKey(userId, groupId)))
      const byGroup = groupBy(readable, ({ groupId }) => groupId)
      const found: string[] = []
      for (const [groupId, some] of byGroup) {
        const ids = some.map(({ messageId }) => messageId)
        const read = await messages.readMessages({ userId, groupId, ids })
        found.push(...read.flatMap(({ mediaUrl }) => mediaUrl ?? []))
      }
      return found
    },
    /** Of these messages those with a file that this person sent into their groups. */
    async listFilesSent(userId: string, ids: readonly string[]) {
      const found: { groupId: string; messageId: string; mediaUrl: string }[] = []
      for (const { groupId } of await listOwn(userId)) {
        found.push(...(await messages.listFilesSentTo({ userId, groupId, ids })))
      }
      return found
    },
    /** May this person see the group's picture: as its member, or by its link? */
    async showsPicture(userId: string, groupId: string, code: string | undefined) {
      if (await this.findFor(userId, groupId)) return true
      return code !== undefined && (await invites.leadsTo(userId, code)) === groupId
    },
    change,
    ...messages,
    marks,
    invites,

    /** The group, for its members only. */
    async findFor(userId: string, groupId: string): Promise<GroupDocument | undefined> {
      if (!(await findOwn(userId, groupId))) return undefined
      const group = await find(groupId)
      return group?.members.some((one) => one.userId === userId) ? group : undefined
    },

    /** The groups that this person is in. */
    async listFor(userId: string): Promise<GroupDocument[]> {
      const own = await listOwn(userId)
      const found = await Promise.all(own.map(({ groupId }) => this.findFor(userId, groupId)))
      return found.flatMap((group) => group ?? [])
    },

    /** Ends a group for all: only its owner can. @throws RequestRefused */
    async remove(actorId: string, groupId: string): Promise<void> {
      const { result } = await storage
        .database<GroupDocument>(nameGroupDatabase(groupId))
        .update<GroupDocument | GroupRefusal>([groupId], (stored) => {
          const group = stored.get(groupId)
          const actor = group?.members.find(({ userId }) => userId === actorId)
          if (!group || !actor) return { result: refusalOfGroup('group_not_found') }
          if (actor.role !== 'owner') return { result: refusalOfGroup('owner_only') }
          // From here on nobody reads or writes it, also if what follows is never done.
          const former = [
            ...group.former,
            ...group.members.map(({ userId, from }) => ({ userId, from, to: group.lastPlace + 1 })),
          ]
          return { put: [{ ...group, members: [], former }], result: group }
        })
      if ('code' in result) throw refused(result)
      lines.hint(
        groupId,
        result.members.map(({ userId }) => userId),
      )
      await finish(result)
    },

    /** A deleted account leaves all its groups. */
    async leaveAll(userId: string): Promise<void> {
      for (const { groupId, times, _id } of await listOwn(userId)) {
        const requestId = deriveId(`${groupId} ${times}`, `${userId} leaves`)
        const asked = { groupId, actorId: userId, requestId, change: { kind: 'leave' as const } }
        await change(asked, { isCounted: false }).catch((error: unknown) => {
          if (!(error instanceof RequestRefused) || error.reason !== 'group_not_found') throw error
        })
        await index.update([_id], (stored) => {
          const own = stored.get(_id)
          return { put: own ? [{ ...own, _deleted: true as const }] : [], result: undefined }
        })
      }
    },
  }
}

/** Who comes in by it: whoever is added, or its author who joins. */
function listIncoming({ change, actorId }: AskedGroupChange): readonly string[] {
  if (change.kind === 'join') return [actorId]
  return 'userIds' in change ? change.userIds : []
}

function refused(refusal: GroupRefusal): RequestRefused {
  return new RequestRefused(refusal.code, { words: refusal.error })
}

interface DecidedChange {
  decision: GroupDecision
  stored: GroupDocument | undefined
}

function decideStored(
  read: ReadPart,
  change: {
    asked: AskedGroupChange
    names: { group: string; order: string }
    addable: ReadonlySet<string>
    now: number
  },
): DecidedChange {
  const { asked, names, addable, now } = change
  const { groupId, actorId, requestId } = asked
  const record = read<GroupDocument>(names.group).get(groupId)
  const newest = read<NewestPlace>(names.order).get(newestPlaceKey)
  const stored = joinGroup(record, newest)
  const refuse = (
    code: 'group_not_found' | 'group_exists' | 'changed_meanwhile',
  ): DecidedChange => ({
    stored,
    decision: { kind: 'refuse', refusal: refusalOfGroup(code) },
  })
  const isOver = read<GroupOver>(groupIndexName).has(groupOverKey(groupId))
  if (isOver || (record && !stored)) return refuse('group_not_found')
  const before = read<StoredGroupMessage>(names.group).get(requestId)
  // What has this id already is another request's, or a message.
  const isForeign = before !== undefined && (!('line' in before) || before.senderId !== actorId)
  if (isForeign) return refuse(asked.change.kind === 'create' ? 'group_exists' : 'group_not_found')
  const decision = decideGroupChange({
    groupId,
    actorId,
    stored,
    change: asked.change,
    code: asked.code,
    isDone: before !== undefined,
    seenUpTo: asked.seenUpTo ?? stored?.lastPlace ?? 0,
    canAdd: (userId) => addable.has(userId),
    now,
  })
  return { decision, stored }
}

/** Of those who come by this line: how often they have come now. */
function countTimes(
  read: ReadPart,
  { groupId, line, actorId }: { groupId: string; line: GroupLine; actorId: string },
): Document[] {
  const { kind } = line.change
  if (kind !== 'create' && kind !== 'add' && kind !== 'join') return []
  const came = kind === 'create' ? [actorId, ...line.userIds] : line.userIds
  const known = read<GroupOfPerson>(groupIndexName)
  return came.map((userId): GroupOfPerson => {
    const _id = groupOfPersonKey(userId, groupId)
    return { _id, userId, groupId, times: (known.get(_id)?.times ?? 0) + 1 }
  })
}

function toLineDocument(
  { groupId, requestId, actorId }: AskedGroupChange,
  line: GroupLine,
  now: number,
): GroupLineDocument & { changedPlace: number } {
  const { place, change, userIds, heirId } = line
  return {
    _id: requestId,
    peerId: groupId,
    senderId: actorId,
    recipientId: groupId,
    type: 'text',
    content: '',
    createdAt: now,
    orderedAt: place,
    status: 'sent',
    attempt: 1,
    statusHistory: [{ status: 'sent', timestamp: now }],
    isStarred: false,
    isStarredAt: 0,
    isSystem: true,
    line: { change, userIds: [...userIds], ...(heirId !== undefined && { heirId }) },
    changedPlace: place,
  }
}
