import { groupMessageDocument } from '../../schema/api/groups.ts'
import { decideMessage } from '../../schema/decide-message.ts'
import type { GroupEpoch } from '../../schema/encryption/group-epoch.ts'
import {
  type GroupDocument,
  type GroupRefusal,
  mayReadPlace,
  nextGroupPlace,
  refusalOfGroup,
  refuseGroupWriter,
} from '../../schema/group.ts'
import { areMessagesEqual } from '../../schema/merge-messages.ts'
import type { MessageDocument } from '../../schema/message.ts'
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
  type NewestPlace,
  newestPlaceKey,
  placeKey,
  type StoredGroupMessage,
  withoutPlaces,
} from './group-documents.ts'

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
  now: () => number
}) {
  const { storage, rate, quota, find, tell, now } = options

  /** @throws RequestRefused `too_many_messages`: nothing was stored */
  function takeTurns(actorId: string, count: number) {
    const seconds = rate.take(actorId, count)
    if (seconds === 0) return
    rate.recordRefused()
    const headers = { 'retry-after': String(seconds), ...rate.describe(actorId) }
    throw new RequestRefused('too_many_messages', { headers })
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
            { name: names.order, ids: [newestPlaceKey] },
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
            return {
              writes: [
                ...(isWritten
                  ? [
                      {
                        name: names.order,
                        put: [{ _id: newestPlaceKey, place: lastPlace }],
                        create: places,
                      },
                    ]
                  : []),
                { name: names.group, put: written, pushed },
                ...(isWritten ? [{ name: quotaName, tally: grown }] : []),
              ],
              result: { draft, group, isWritten },
            }
          },
        })
        const { draft, group, isWritten } = result
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
      before: string | undefined
      limit: number
    }): Promise<MessageDocument[] | undefined> {
      const { userId, groupId, before, limit } = asked
      const group = await find(groupId)
      if (!group) return undefined
      const stored = storage.database<StoredGroupMessage>(nameGroupDatabase(groupId))
      const order = storage.database<MessageAtPlace>(nameGroupOrderDatabase(groupId))
      const read = async (ids: readonly string[]) => {
        const found = await stored.read(ids)
        return ids.flatMap((id) => {
          const message = id === groupId ? undefined : found.get(id)
          // Secrets are no messages to anybody who lists them.
          if (message && 'epoch' in message) return []
          return (message && findReadable(group, userId, message)) ?? []
        })
      }
      const [from] = before === undefined ? [] : await read([before])
      if (before !== undefined && !from) return undefined
      const windows = [...group.members, ...group.former].filter((one) => one.userId === userId)
      const endkey = placeKey(Math.min(...windows.map((one) => one.from)))
      let startkey = placeKey(from ? from.orderedAt - 1 : group.lastPlace)
      const found: MessageDocument[] = []
      while (found.length < limit && startkey >= endkey) {
        const page = await order.range({ startkey, endkey, descending: true, limit: rowsAtOnce })
        found.push(...(await read(page.map(({ messageId }) => messageId))))
        const last = page.at(-1)
        if (!last || page.length < rowsAtOnce) break
        startkey = placeKey(Number(last._id.slice(3)) - 1)
      }
      return found.slice(0, limit).reverse()
    },
  }
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
