import { groupMessageDocument, lineOf } from '../../schema/api/groups.ts'
import { decideMessage } from '../../schema/decide-message.ts'
import {
  type GroupDocument,
  type GroupRefusal,
  mayReadPlace,
  nextGroupPlace,
  refusalOfGroup,
  refuseGroupWriter,
} from '../../schema/group.ts'
import type { GroupEpoch } from '../../schema/group-epoch.ts'
import { limits } from '../../schema/limits.ts'
import { areMessagesEqual } from '../../schema/merge-messages.ts'
import { isIncoming, type MessageDocument } from '../../schema/message.ts'
import { clampTimes } from '../../schema/permit-message-change.ts'
import { type Refusal, refuse } from '../../schema/refusal.ts'
import type { MessageRate } from '../budget/message-rate.ts'
import type { Room, StorageQuota } from '../budget/storage-quota.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import type { MessageFiles } from '../messages/copies/message-files.ts'
import { weighGrowth } from '../messages/copies/weigh-document.ts'
import { clockSlackMs, type Outcome, type Proposal } from '../messages/proposals/proposal.ts'
import type { NewMessage } from '../push/push-news.ts'
import {
  nameGroupDatabase,
  nameGroupOrderDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import { type Document, idsFrom } from '../storage/documents/documents.ts'
import type { PushedRevision } from '../storage/documents/grow-branch.ts'
import type { Storage } from '../storage/storage.ts'
import {
  findReadable,
  type GroupFileMove,
  type GroupIndexDocument,
  groupFileMoveKey,
  groupFileMovePrefix,
  groupIndexName,
  joinGroup,
  type MessageAtPlace,
  markKey,
  type NewestPlace,
  newestPlaceKey,
  placeKey,
  readPlaceKey,
  type StoredGroupMessage,
  withoutPlaces,
} from './group-documents.ts'
import type { createGroupMarks } from './group-marks.ts'

type GroupMarkKeeper = ReturnType<typeof createGroupMarks>

/** Beyond this many, who left long ago keeps the version before. */
const earlierMax = 50

const rowsAtOnce = 100

/** Messages of a group: one copy, in the group's database, in the group's order. */
export function createGroupMessages(options: {
  storage: Storage
  rate: Pick<MessageRate, 'take' | 'giveBack' | 'describe' | 'recordRefused'>
  quota: Pick<StorageQuota, 'look'>
  find: (groupId: string) => Promise<GroupDocument | undefined>
  /** Tells all members of what was just written. */
  tell: (groupId: string) => void
  marks: Pick<GroupMarkKeeper, 'noteWritten' | 'record'>
  files: MessageFiles
  /** Called with each new message once for each member who did not write it. Returns at once. */
  onNew: (message: NewMessage) => void
  now: () => number
}) {
  const { storage, rate, quota, find, tell, marks, files, onNew, now } = options
  const index = storage.database<GroupIndexDocument>(groupIndexName)

  /** @throws RequestRefused `too_many_messages`: nothing was stored */
  function takeTurns(actorId: string, count: number) {
    const seconds = rate.take(actorId, count)
    if (seconds === 0) return
    rate.recordRefused()
    const headers = { 'retry-after': String(seconds), ...rate.describe(actorId) }
    throw new RequestRefused('too_many_messages', { headers })
  }

  /** What this person may read of these, in their order. */
  async function readAll(group: GroupDocument, userId: string, ids: readonly string[]) {
    const { _id: groupId } = group
    const stored = storage.database<StoredGroupMessage>(nameGroupDatabase(groupId))
    const found = await stored.read(ids)
    return ids.flatMap((id) => {
      const message = id === groupId ? undefined : found.get(id)
      // Secrets are no messages to anybody who lists them.
      if (message && 'epoch' in message) return []
      return (message && findReadable(group, userId, message)) ?? []
    })
  }

  /** Messages and lines that this person may read with `after < place <= upTo`, newest first. */
  async function* walk(asked: {
    userId: string
    group: GroupDocument
    upTo: number
    after?: number
  }): AsyncGenerator<MessageDocument[]> {
    const { userId, group, upTo, after = 0 } = asked
    const order = storage.database<MessageAtPlace>(nameGroupOrderDatabase(group._id))
    let place = findReadablePlace(group, userId, upTo)
    while (place !== undefined && place > after) {
      const range = { startkey: placeKey(place), endkey: placeKey(after + 1) }
      const page = await order.range({ ...range, descending: true, limit: rowsAtOnce })
      const ids = page.map(({ messageId }) => messageId)
      const found = await readAll(group, userId, ids)
      if (found.length > 0) yield found
      const last = page.at(-1)
      if (!last || page.length < rowsAtOnce) return
      place = findReadablePlace(group, userId, readPlaceKey(last._id) - 1)
    }
  }

  function readStored(groupId: string, ids: readonly string[]) {
    return storage.database<StoredGroupMessage>(nameGroupDatabase(groupId)).read(ids)
  }

  async function noteMoves(moves: readonly GroupFileMove[]) {
    await index.update(
      moves.map(({ _id }) => _id),
      () => ({ put: [...moves], result: undefined }),
    )
  }

  /** The members have the files of what was written, and of nothing else. */
  async function settleMoves(moves: readonly GroupFileMove[]) {
    for (const { groupId, messageId, mediaUrl, senderId } of moves) {
      const stored = (await readStored(groupId, [messageId])).get(messageId)
      if (stored?.mediaUrl === mediaUrl) {
        await files.shareMedia({ mediaUrl, messageId, senderId, groupId })
      } else await files.releaseMedia({ mediaUrl, messageId, groupId })
    }
    await index.update(
      moves.map(({ _id }) => _id),
      (stored) => ({
        put: [...stored.values()].map((note) => ({ ...note, _deleted: true as const })),
        result: undefined,
      }),
    )
  }

  /**
   * Before messages are written: gives the members the files of new ones, and takes back those of
   * deleted ones. It is noted first, so that a crash leaves nothing for good.
   */
  async function moveFiles(asked: AskedMessages) {
    const { actorId, groupId, proposals } = asked
    const moves = proposals.flatMap(readFileMove)
    const none = { allowed: new Set<string>(), settle: async () => undefined }
    if (moves.length === 0) return none
    const barred = refuseGroupWriter(await find(groupId), actorId)
    if (barred && barred.code !== 'admins_only') return none
    const before = await readStored(
      groupId,
      moves.map(({ id }) => id),
    )
    const allowed = new Set<string>()
    const planned = moves.flatMap(({ id: messageId, mediaUrl, isDeletion }) => {
      const stored = before.get(messageId)
      const held = stored?.senderId === actorId ? stored.mediaUrl : undefined
      const isNew = mediaUrl !== undefined && !stored && !barred
      const file = isDeletion ? held : isNew ? mediaUrl : undefined
      return file === undefined ? [] : [{ messageId, mediaUrl: file, isDeletion }]
    })
    if (planned.length === 0) return none
    const byId = new Map(
      planned.map(({ messageId, mediaUrl }) => {
        const move = { groupId, messageId, mediaUrl, senderId: actorId }
        const _id = groupFileMoveKey(move)
        return [_id, { _id, ...move }] as const
      }),
    )
    const noted = [...byId.values()]
    await noteMoves(noted)
    for (const { messageId, mediaUrl, isDeletion } of planned) {
      if (isDeletion) await files.releaseMedia({ mediaUrl, messageId, groupId })
      else if (await files.shareMedia({ mediaUrl, messageId, senderId: actorId, groupId })) {
        allowed.add(nameFileOf({ messageId, mediaUrl }))
      }
    }
    return { allowed, settle: () => settleMoves(noted) }
  }

  return {
    /**
     * The way in for a group's messages, by the rule for all messages (P4): who may write is
     * decided at the moment of writing. What is refused is stored nowhere: its author's device has
     * it, with the reason (P6).
     */
    async acceptMessages(asked: AskedMessages): Promise<Outcome<Document>[]> {
      const { actorId, groupId, proposals } = asked
      const ids = [...new Set(proposals.map(({ id }) => id))]
      if (ids.length === 0) return []
      takeTurns(actorId, ids.length)
      const counted = { added: 0 }
      const { allowed, settle } = await moveFiles(asked)
      try {
        const room = await quota.look(actorId)
        const names = { group: nameGroupDatabase(groupId), order: nameGroupOrderDatabase(groupId) }
        const quotaName = nameMessagesDatabase(actorId)
        const { result, revs } = await storage.transact({
          parts: [
            { name: names.group, ids: [groupId, ...ids] },
            { name: names.order, ids: [newestPlaceKey, markKey(actorId)] },
            { name: quotaName, ids: [] },
          ],
          decide(read) {
            const newest = read<NewestPlace>(names.order).get(newestPlaceKey)
            const group = joinGroup(read<GroupDocument>(names.group).get(groupId), newest)
            const draft = draftMessages({
              actorId,
              groupId,
              group,
              room,
              isFileAllowed: (file) => allowed.has(nameFileOf(file)),
              now: now(),
              stored: read<StoredGroupMessage>(names.group),
            })
            for (const proposal of proposals) draft.take(proposal)
            const { places, written, grown, lastPlace, pushed } = draft.read()
            const isWritten = written.length > 0
            const mark =
              places.length > 0 ? marks.noteWritten(read, groupId, actorId, lastPlace) : undefined
            return {
              writes: [
                ...(isWritten
                  ? [
                      {
                        name: names.order,
                        put: [{ _id: newestPlaceKey, place: lastPlace }, ...(mark ? [mark] : [])],
                        create: places,
                      },
                    ]
                  : []),
                { name: names.group, put: written, pushed },
                ...(isWritten ? [{ name: quotaName, tally: grown }] : []),
              ],
              result: { draft, group, isWritten, mark },
            }
          },
        })
        const { draft, group, isWritten, mark } = result
        if (mark) marks.record(groupId, mark)
        const { outcomes, added } = draft.read()
        counted.added = added
        if (isWritten && group) {
          const members = group.members.map(({ userId }) => userId)
          tell(groupId)
          for (const { _id, senderId, mentionedIds = [] } of draft.listNew()) {
            for (const recipientId of members) {
              if (recipientId === senderId) continue
              const isMention = mentionedIds.includes(recipientId)
              onNew({ _id, senderId, recipientId, groupId, isMention })
            }
          }
        }
        const revOf = revs(names.group)
        return outcomes.map((outcome) =>
          outcome.kind === 'stored' ? { ...outcome, rev: revOf.get(outcome.id) ?? '' } : outcome,
        )
      } finally {
        if (counted.added < ids.length) rate.giveBack(actorId, ids.length - counted.added)
        await settle()
      }
    },

    /**
     * The newest messages and lines that this person may read, oldest first.
     * @param asked.before the id of the message to start before
     * @returns undefined when there is no such message for them
     */
    async listMessages(asked: {
      userId: string
      groupId: string
      before?: string | undefined
      limit: number
    }): Promise<MessageDocument[] | undefined> {
      const { userId, groupId, before, limit } = asked
      const group = await find(groupId)
      if (!group) return undefined
      const [from] = before === undefined ? [] : await readAll(group, userId, [before])
      if (before !== undefined && !from) return undefined
      const found: MessageDocument[] = []
      const upTo = from ? from.orderedAt - 1 : group.lastPlace
      for await (const page of walk({ userId, group, upTo })) {
        found.push(...page)
        if (found.length >= limit) break
      }
      return found.slice(0, limit).reverse()
    },

    /**
     * What a list of conversations says of a group: the newest message or line above `clearedUpTo`
     * that this person may read, and how many messages of others lie above their marks.
     */
    async summarise(asked: {
      userId: string
      group: GroupDocument
      marks: { readUpTo: number; clearedUpTo: number }
    }): Promise<{ last: MessageDocument | undefined; unreadCount: number }> {
      const { userId, group, marks } = asked
      const { clearedUpTo: after } = marks
      const readUpTo = Math.max(marks.readUpTo, after)
      let last: MessageDocument | undefined
      let unreadCount = 0
      for await (const page of walk({ userId, group, upTo: group.lastPlace, after })) {
        last ??= page[0]
        const unread = page.filter(
          (message) =>
            message.orderedAt > readUpTo &&
            isIncoming(message, userId) &&
            message.deletedAt === undefined &&
            lineOf(message) === undefined,
        )
        unreadCount += unread.length
        const isRead = (page.at(-1)?.orderedAt ?? 0) <= readUpTo
        if (isRead || unreadCount >= limits.groups.unreadCountMax) break
      }
      return { last, unreadCount: Math.min(unreadCount, limits.groups.unreadCountMax) }
    },

    walk,

    /** Those of these messages of a group that this person may read, as they may. */
    async readMessages(asked: {
      userId: string
      groupId: string
      ids: readonly string[]
    }): Promise<MessageDocument[]> {
      const { userId, groupId, ids } = asked
      const group = await find(groupId)
      return group ? await readAll(group, userId, ids) : []
    },

    /** Of these messages of a group those with a file that this person sent. */
    async listFilesSentTo(asked: { userId: string; groupId: string; ids: readonly string[] }) {
      const { userId, groupId, ids } = asked
      const stored = [...(await readStored(groupId, ids)).values()]
      return stored.flatMap(({ _id: messageId, senderId, mediaUrl }) =>
        senderId === userId && mediaUrl !== undefined ? [{ groupId, messageId, mediaUrl }] : [],
      )
    },

    /** Settles the files whose moves a crash left in the middle; before anybody writes. */
    async healFiles(): Promise<void> {
      const left = await index.range(idsFrom(groupFileMovePrefix))
      await settleMoves(left as unknown as GroupFileMove[])
    },

    /** Takes back all files of a group that is over. */
    async releaseAll(groupId: string): Promise<void> {
      const database = storage.database<StoredGroupMessage>(nameGroupDatabase(groupId))
      let after: string | undefined
      for (;;) {
        const range = after === undefined ? {} : { startkey: `${after}\0` }
        const page = await database.range({ ...range, limit: rowsAtOnce })
        for (const { _id: messageId, mediaUrl } of page) {
          if (mediaUrl !== undefined) await files.releaseMedia({ mediaUrl, messageId, groupId })
        }
        after = page.at(-1)?._id
        if (page.length < rowsAtOnce) return
      }
    },
  }
}

interface AskedMessages {
  actorId: string
  groupId: string
  proposals: readonly Proposal[]
}

interface FileOfMessage {
  messageId: string
  mediaUrl: string
}

const nameFileOf = ({ messageId, mediaUrl }: FileOfMessage) => `${messageId} ${mediaUrl}`

/** Has this proposal a file, or does it delete a message, which may have one? */
function readFileMove({ id, raw }: Proposal) {
  const mediaUrl = typeof raw.mediaUrl === 'string' ? raw.mediaUrl : undefined
  const isDeletion = typeof raw.deletedAt === 'number'
  return mediaUrl !== undefined || isDeletion ? [{ id, mediaUrl, isDeletion }] : []
}

/** The greatest place up to `upTo` that this person may read. */
function findReadablePlace(
  { members, former }: GroupDocument,
  userId: string,
  upTo: number,
): number | undefined {
  const own = [...members, ...former].filter((one) => one.userId === userId && one.from <= upTo)
  const ends = own.map((one) => ('to' in one ? Math.min(upTo, one.to - 1) : upTo))
  return ends.length > 0 ? Math.max(...ends) : undefined
}

/** Decides a batch in its order: each sees what those before it wrote. */
function draftMessages(known: {
  actorId: string
  groupId: string
  group: GroupDocument | undefined
  room: Room
  /** Do the members have the file of this new message by now? */
  isFileAllowed: (file: FileOfMessage) => boolean
  now: number
  stored: ReadonlyMap<string, StoredGroupMessage>
}) {
  const { actorId, groupId, group, room, now } = known
  const isAuthorFull = room !== 'free'
  const current = new Map(known.stored)
  const written = new Map<string, StoredGroupMessage>()
  const places: MessageAtPlace[] = []
  const pushed: PushedRevision[] = []
  const outcomes: Outcome<Document>[] = []
  const counts = { grown: 0, added: 0, lastPlace: group?.lastPlace ?? 0 }

  function write(message: MessageDocument, before: StoredGroupMessage | undefined) {
    const place = nextGroupPlace(counts, now)
    counts.lastPlace = place
    const next: StoredGroupMessage = before
      ? { ...message, changedPlace: place, ...keepEarlier(group, message, before) }
      : { ...message, orderedAt: place, changedPlace: place }
    if (!before) {
      places.push({ _id: placeKey(place), messageId: next._id })
      counts.added += 1
    }
    counts.grown += weighGrowth(before && { ...before }, { ...next })
    current.set(next._id, next)
    written.set(next._id, next)
    return next
  }

  function decide(proposal: Proposal): Outcome<Document> {
    const { id } = proposal
    const hold = (refusal: Refusal | GroupRefusal) => ({ kind: 'heldBack' as const, id, refusal })
    if (proposal.isDeleted) return { kind: 'absent', id }
    const stored = id === groupId ? undefined : current.get(id)
    const isMember = group?.members.some(({ userId }) => userId === actorId) ?? false
    const isTheirs = group && stored && mayReadPlace(group, actorId, stored.orderedAt)
    const readable = group && stored && findReadable(group, actorId, stored)
    // Of what they cannot read they learn only that the id is taken.
    if (id === groupId || (stored && !(isMember ? isTheirs : readable))) {
      return hold(refuse('foreign_id'))
    }
    const toStored = (doc: MessageDocument, isTaken: boolean, isClamped = false) => ({
      kind: 'stored' as const,
      id,
      rev: '',
      doc: { ...doc },
      isNew: stored === undefined,
      isTaken,
      ...(isClamped && { isClamped }),
    })
    // A line says what happened, and what is sealed is sealed with a secret: nobody changes them.
    const shown = readable ?? (stored && withoutPlaces(stored))
    if (shown && ('line' in shown || 'epoch' in shown)) {
      const isCopy = 'line' in proposal.raw || 'epoch' in proposal.raw
      return isCopy ? toStored(shown, true) : hold(refuse('foreign_id'))
    }
    const parsed = groupMessageDocument.safeParse(proposal.raw)
    if (!parsed.success) return hold(refuse('unreadable'))
    const { line, epoch, ...given } = parsed.data
    const proposed = withoutOwn(given, stored)
    if (proposed.peerId !== groupId) return hold(refuse('wrong_sender'))
    if (epoch) return decideEpoch({ id, epoch, proposed, isStored: stored !== undefined })
    // What was refused is stored nowhere: taken as new it would be sent behind its author's back later.
    if (!stored && proposed.status === 'failed') return { kind: 'absent', id }
    const decision = decideMessage({
      actorId,
      // Who left has no part in what became of it since: they would merge the two for ever.
      stored: stored && isMember ? withoutPlaces(stored) : shown,
      proposed,
      isRecipientKnown: true,
      isAuthorFull,
      now,
    })
    const isSame = readable === undefined || areMessagesEqual(readable, proposed)
    if (decision.kind === 'keep') return shown ? toStored(shown, isSame) : { kind: 'absent', id }
    const barred = refuseWriter(group, { actorId, isNew: stored === undefined })
    if (barred) return hold(barred)
    if (decision.kind === 'refuse') return hold(decision.refusal)
    const { effect } = decision
    const next = stored ? decision.next : withMembersMentioned(decision.next, group)
    if (effect === 'own') return shown ? toStored(shown, isSame) : { kind: 'absent', id }
    const { mediaUrl } = next
    const isLacking = mediaUrl !== undefined && !known.isFileAllowed({ messageId: id, mediaUrl })
    if (!stored && isLacking) return hold(refuse('media_not_allowed'))
    const isClamped =
      !areMessagesEqual(clampTimes(proposed, now + clockSlackMs), proposed) ||
      (!stored && next.mentionedIds?.length !== proposed.mentionedIds?.length)
    return toStored(withoutPlaces(write(next, stored)), true, isClamped)
  }

  /** A secret for the members. It says nothing else: who only reads needs one to react. */
  function decideEpoch(asked: {
    id: string
    epoch: GroupEpoch
    proposed: MessageDocument
    isStored: boolean
  }): Outcome<Document> {
    const { id, epoch, proposed, isStored } = asked
    const { senderId, createdAt } = proposed
    const hold = (refusal: Refusal | GroupRefusal) => ({ kind: 'heldBack' as const, id, refusal })
    if (isStored) return hold(refuse('foreign_id'))
    if (senderId !== actorId) return hold(refuse('wrong_sender'))
    const barred = refuseWriter(group, { actorId, isNew: false })
    if (barred) return hold(barred)
    // For whoever never was in it no member makes one, and none would write with it.
    const { members = [], former = [] } = group ?? {}
    const own = new Set([...members, ...former].map(({ userId }) => userId))
    const isForOwn = Object.keys(epoch.boxes).every((userId) => own.has(userId))
    if (!isForOwn) return hold(refusalOfGroup('not_in_group'))
    // A reaction passes when there is no room for words: without its secret nobody would read it.
    if (room === 'overfull') return hold(refuse('storage_full'))
    const message: MessageDocument & { epoch: GroupEpoch } = {
      _id: id,
      peerId: groupId,
      senderId,
      recipientId: groupId,
      type: 'text',
      content: '',
      createdAt: Math.min(createdAt, now + clockSlackMs),
      orderedAt: now,
      status: 'sent',
      attempt: 1,
      statusHistory: [{ status: 'sent', timestamp: now }],
      isStarred: false,
      isStarredAt: 0,
      epoch,
    }
    const doc = withoutPlaces(write(message, undefined))
    return { kind: 'stored', id, rev: '', doc, isNew: true, isTaken: false }
  }

  return {
    take(proposal: Proposal) {
      const outcome = decide(proposal)
      outcomes.push(outcome)
      if (outcome.kind === 'stored' && proposal.revisions) {
        pushed.push({ id: proposal.id, revisions: proposal.revisions })
      }
    },
    read: () => ({ outcomes, places, pushed, written: [...written.values()], ...counts }),
    /** What anybody reads of it: a secret is no message. */
    listNew: () =>
      places.flatMap(({ messageId }) => {
        const message = written.get(messageId)
        return message && !('epoch' in message) && message.deletedAt === undefined ? [message] : []
      }),
  }
}

/** Whoever is no member by now is not notified; what the words say of them stays. */
function withMembersMentioned(
  { mentionedIds, ...message }: MessageDocument,
  group: GroupDocument | undefined,
): MessageDocument {
  const members = new Set(group?.members.map(({ userId }) => userId))
  const left = mentionedIds?.filter((userId) => members.has(userId)) ?? []
  return left.length > 0 ? { ...message, mentionedIds: left } : message
}

/** Each one's own marks lie in their own databases; a group's copy has nobody's. */
function withoutOwn(proposed: MessageDocument, stored: MessageDocument | undefined) {
  const { isHidden, isHiddenAt, refused, ...rest } = proposed
  const { isStarred = false, isStarredAt = 0 } = stored ?? {}
  return { ...rest, isStarred, isStarredAt }
}

/** Why they cannot write this now: who only reads may still react, and change their own. */
function refuseWriter(
  group: GroupDocument | undefined,
  { actorId, isNew }: { actorId: string; isNew: boolean },
): GroupRefusal | undefined {
  const refusal = refuseGroupWriter(group, actorId)
  return refusal && (isNew || refusal.code !== 'admins_only') ? refusal : undefined
}

/** Keeps the version before, if somebody who left since may read that one and not the next. */
function keepEarlier(
  group: GroupDocument | undefined,
  next: MessageDocument,
  before: StoredGroupMessage,
): Pick<StoredGroupMessage, 'earlier'> {
  if (next.deletedAt !== undefined) return {}
  const { earlier = [], ...version } = before
  const isOwed = group?.former.some(
    ({ from, to }) => from <= before.orderedAt && before.orderedAt < to && before.changedPlace < to,
  )
  const kept = isOwed
    ? [...earlier, version as MessageDocument & { changedPlace: number }]
    : earlier
  return kept.length > 0 ? { earlier: kept.slice(-earlierMax) } : {}
}
