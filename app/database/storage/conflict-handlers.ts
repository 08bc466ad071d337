import type { RxConflictHandler, WithDeleted } from 'rxdb/plugins/core'
import {
  areConversationsEqual,
  conversationDocument,
  mergeConversations,
} from '../../../schema/conversation.ts'
import { permitConversationChange } from '../../../schema/decide-conversation.ts'
import { areMessagesEqual, mergeMessages } from '../../../schema/merge-messages.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { permitMessageChange } from '../../../schema/permit-message-change.ts'
import { closeMessage } from '../../encryption/sealed-message.ts'
import type { Sealing } from './sealing.ts'
import { fromStoredConversation, type StoredConversation } from './stored-conversation.ts'
import { fromStoredMessage, type StoredMessage, toStoredMessage } from './stored-message.ts'

/** Why a group refused changes of messages that it has, by their ids, until the device has its version back. */
export type GroupRefusals = Map<string, Refusal>

/** Words, and a code that a group's rule or the rule for all messages gives. */
interface Refusal {
  code: string
  error: string
}

export interface ConflictOptions {
  userId: string
  /** The server's time as well as this device knows it, epoch ms. */
  now: () => number
}

/** Also says what becomes of a version that arrives over `held`, where nothing here is owed. */
export interface ArrivalHandler<T> extends RxConflictHandler<T> {
  /** @returns the same object when it is taken as it is */
  keep?(arrived: WithDeleted<T>, held: WithDeleted<T>): WithDeleted<T>
}

/**
 * Rebases this device's version on the server's with the server's own pure function (P4, P5), so
 * neither side asks the other again. Both compare what is sealed, never the words.
 */
export function createMessageConflictHandler(
  options: ConflictOptions & { sealing: Pick<Sealing, 'open' | 'keep'>; refusals: GroupRefusals },
): ArrivalHandler<StoredMessage> {
  const { sealing, userId, refusals } = options
  return {
    keep(arrived, held) {
      const before = fromStoredMessage(arrived)
      const next = sealing.keep(before, fromStoredMessage(held))
      if (next === before) return arrived
      // Its key may have come since it was read: what says how it is locked is said by `next`.
      const { locked, later, ...rest } = arrived
      return { ...rest, ...toStoredMessage(next, userId) }
    },
    isEqual: (a, b, context) =>
      areMessagesEqual(closeMessage(a), closeMessage(b)) ||
      (context === arrival && isMessageOutdated(a, b)),
    async resolve({ newDocumentState, realMasterState }) {
      const stored = closeMessage(fromStoredMessage(realMasterState))
      const proposed = readMessage(newDocumentState)
      const refusal = refusals.get(stored._id)
      refusals.delete(stored._id)
      if (refusal && proposed.success) {
        const returned = returnRefused(stored, { proposed: proposed.data, refusal })
        return alive(toStoredMessage(sealing.open(returned), userId))
      }
      const next = proposed.success
        ? permitMessageChange({
            actorId: userId,
            stored,
            proposed: proposed.data,
            now: options.now(),
          }).next
        : stored
      const held = fromStoredMessage(newDocumentState)
      return alive(toStoredMessage(sealing.keep(sealing.open(next), held), userId))
    },
  }
}

export function createConversationConflictHandler(
  options: Pick<ConflictOptions, 'now'>,
): RxConflictHandler<StoredConversation> {
  return {
    isEqual: (a, b, context) =>
      areConversationsEqual(a, b) || (context === arrival && isConversationOutdated(a, b)),
    async resolve({ newDocumentState, realMasterState, assumedMasterState }) {
      const stored = fromStoredConversation(realMasterState)
      const proposed = conversationDocument.safeParse(fromStoredConversation(newDocumentState))
      if (!proposed.success) return alive(stored)
      const now = options.now()
      // The server told this device how far the other person is, and may have forgotten since. But
      // when it corrects the device's offer over the same version, the server is right.
      const isRefused =
        assumedMasterState !== undefined &&
        areConversationsEqual(fromStoredConversation(assumedMasterState), stored)
      const lost = isRefused ? [] : [{ after: 0, upTo: now }]
      return alive(permitConversationChange({ stored, proposed: proposed.data, lost, now }))
    },
  }
}

/**
 * RxDB passes this name when it asks whether the arrived version (`a`) would change the local one
 * (`b`).
 */
const arrival = 'downstream-check-if-equal-1'

/**
 * Merges the server's version into a stored document. The answer may predate a change of this
 * device that the server has already accepted: it brings other news, but lacks that change.
 * @returns undefined when the result equals the server's version
 */
export async function mergeArrived<T>(
  conflictHandler: RxConflictHandler<T>,
  { stored, arrived }: { stored: WithDeleted<T>; arrived: WithDeleted<T> },
): Promise<WithDeleted<T> | undefined> {
  if (conflictHandler.isEqual(stored, arrived, arrival)) return undefined
  const both = { newDocumentState: stored, realMasterState: arrived }
  const merged = await conflictHandler.resolve(both, 'arrived')
  return conflictHandler.isEqual(merged, arrived, 'arrived') ? undefined : merged
}

/**
 * Is the arrived version older than the local one? Two answers of the server can overtake each
 * other, and the older would win. Versions only grow under the merge (P5), so an older one adds
 * nothing.
 */
function isMessageOutdated(arrived: StoredMessage, here: StoredMessage): boolean {
  const [a, b] = [readMessage(arrived), readMessage(here)]
  return a.success && b.success && areMessagesEqual(mergeMessages(a.data, b.data), b.data)
}

/**
 * The version that all in a group have, with what this device asked for and why the group refused it:
 * of such a refusal nothing is stored but here.
 */
export function returnRefused(
  stored: MessageDocument,
  { proposed, refusal }: { proposed: MessageDocument; refusal: Refusal },
): MessageDocument {
  const { isStarred, isStarredAt, isHidden, isHiddenAt, content, sealed, editedAt = 0 } = proposed
  const areWords = content !== stored.content || sealed !== stored.sealed
  const words = areWords ? { content, ...(sealed !== undefined && { sealed }) } : {}
  return {
    ...stored,
    isStarred,
    isStarredAt,
    ...(isHidden !== undefined && { isHidden }),
    ...(isHiddenAt !== undefined && { isHiddenAt }),
    refused: { at: editedAt, code: refusal.code, error: refusal.error, ...words },
  }
}

/** As the server would be told of it. */
function readMessage(stored: StoredMessage) {
  return messageDocument.safeParse(closeMessage(fromStoredMessage(stored)))
}

function isConversationOutdated(arrived: object, here: object): boolean {
  const [a, b] = [conversationDocument.safeParse(arrived), conversationDocument.safeParse(here)]
  return a.success && b.success && areConversationsEqual(mergeConversations(a.data, b.data), b.data)
}

function alive<T>(document: T): WithDeleted<T> {
  return { ...document, _deleted: false }
}
