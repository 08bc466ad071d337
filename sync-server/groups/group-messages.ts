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
import type { StorageQuota } from '../budget/storage-quota.ts'
import { RequestRefused } from '../http/core/request-refused.ts'
import { weighGrowth } from '../messages/copies/weigh-document.ts'
import { clockSlackMs, type Outcome, type Proposal } from '../messages/proposals/proposal.ts'
import {
  nameGroupDatabase,
  nameGroupOrderDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import type { Document } from '../storage/documents/documents.ts'
import type { PushedRevision } from '../storage/documents/grow-branch.ts'
import type { Storage } from '../storage/storage.ts'
import {
  findReadable,
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
  tell: (groupId: string, userIds: Iterable<string>) => void
  marks: Pick<GroupMarkKeeper, 'noteWritten' | 'record'>
  now: () => number
}) {
  const { storage, rate, quota, find, tell, marks, now } = options

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

  return {
    /**
     * The way in for a group's messages, by the rule for all messages (P4): who may write is
     * decided at the moment of writing. What is refused is stored nowhere: its author's device has
     * it, with the reason (P6).
     */
    async acceptMessages(asked: {
      actorId: string
      groupId: string
      proposals: readonly Proposal[]
    }): Promise<Outcome<Document>[]> {
      const { actorId, groupId, proposals } = asked
      const ids = [...new Set(proposals.map(({ id }) => id))]
      if (ids.length === 0) return []
      takeTurns(actorId, ids.length)
      const counted = { added: 0 }
      try {
        const isAuthorFull = (await quota.look(actorId)) !== 'free'
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
              isAuthorFull,
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
        if (isWritten && group)
          tell(
            groupId,
            group.members.map(({ userId }) => userId),
          )
        const revOf = revs(names.group)
        return outcomes.map((outcome) =>
          outcome.kind === 'stored' ? { ...outcome, rev: revOf.get(outcome.id) ?? '' } : outcome,
        )
      } finally {
        if (counted.added < ids.length) rate.giveBack(actorId, ids.length - counted.added)
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
  }
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
  isAuthorFull: boolean
  now: number
  stored: ReadonlyMap<string, StoredGroupMessage>
}) {
  const { actorId, groupId, group, isAuthorFull, now } = known
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
    const isReadable = group && stored && mayReadPlace(group, actorId, stored.orderedAt)
    // Of what they cannot read they learn only that the id is taken.
    if (id === groupId || (stored && !isReadable)) return hold(refuse('foreign_id'))
    const toStored = (doc: StoredGroupMessage, isTaken: boolean, isClamped = false) => ({
      kind: 'stored' as const,
      id,
      rev: '',
      doc: withoutPlaces(doc),
      isNew: stored === undefined,
      isTaken,
      ...(isClamped && { isClamped }),
    })
    // A line says what happened, and what is sealed is sealed with a secret: nobody changes them.
    if (stored && ('line' in stored || 'epoch' in stored)) return toStored(stored, true)
    const parsed = groupMessageDocument.safeParse(proposal.raw)
    if (!parsed.success) return hold(refuse('unreadable'))
    const { line, epoch, ...given } = parsed.data
    const proposed = withoutOwn(given, stored)
    if (proposed.peerId !== groupId) return hold(refuse('wrong_sender'))
    if (epoch) return decideEpoch({ id, epoch, proposed, isStored: stored !== undefined })
    const decision = decideMessage({
      actorId,
      stored: stored && asMessage(stored),
      proposed,
      isRecipientKnown: true,
      isAuthorFull,
      now,
    })
    const isSame = stored !== undefined && areMessagesEqual(asMessage(stored), proposed)
    if (decision.kind === 'keep') {
      return stored ? toStored(stored, isSame) : { kind: 'absent', id }
    }
    const barred = refuseWriter(group, { actorId, proposed, isNew: stored === undefined })
    if (barred) return hold(barred)
    if (decision.kind === 'refuse') return hold(decision.refusal)
    const { next, effect } = decision
    if (effect === 'own') return stored ? toStored(stored, isSame) : { kind: 'absent', id }
    const isClamped = !areMessagesEqual(clampTimes(proposed, now + clockSlackMs), proposed)
    return toStored(write(next, stored), true, isClamped)
  }

  /** A secret for the members: whoever may write may make one, and it says nothing else. */
  function decideEpoch(asked: {
    id: string
    epoch: GroupEpoch
    proposed: MessageDocument
    isStored: boolean
  }): Outcome<Document> {
    const { id, epoch, proposed, isStored } = asked
    const { senderId, createdAt } = proposed
    if (isStored) return { kind: 'heldBack', id, refusal: refuse('foreign_id') }
    if (senderId !== actorId) return { kind: 'heldBack', id, refusal: refuse('wrong_sender') }
    const barred = refuseGroupWriter(group, actorId)
    if (barred) return { kind: 'heldBack', id, refusal: barred }
    if (isAuthorFull) return { kind: 'heldBack', id, refusal: refuse('storage_full') }
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
  }
}

/** Each one's own marks lie in their own databases; a group's copy has nobody's. */
function withoutOwn(proposed: MessageDocument, stored: MessageDocument | undefined) {
  const { isHidden, isHiddenAt, refused, ...rest } = proposed
  const { isStarred = false, isStarredAt = 0 } = stored ?? {}
  return { ...rest, isStarred, isStarredAt }
}

function asMessage(stored: StoredGroupMessage): MessageDocument {
  return withoutPlaces(stored)
}

/** Why they cannot write this now: who only reads may still react, and change their own. */
function refuseWriter(
  group: GroupDocument | undefined,
  asked: { actorId: string; proposed: MessageDocument; isNew: boolean },
): GroupRefusal | undefined {
  const { actorId, proposed, isNew } = asked
  const refusal = refuseGroupWriter(group, actorId)
  if (refusal && (isNew || refusal.code !== 'admins_only')) return refusal
  const { mediaUrl, file, deletedAt } = proposed
  const areWords = mediaUrl === undefined && file === undefined
  return areWords || deletedAt !== undefined ? undefined : refusalOfGroup('group_words_only')
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
