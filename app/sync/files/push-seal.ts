import { refusalOfGroup } from '../../../schema/group.ts'
import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { ApiError, isUserGone } from '../../api/api-error.ts'
import { makeGroupSecret } from '../../database/commands/make-group-secret.ts'
import { changeDocument } from '../../database/storage/change-document.ts'
import { type CommandContext, ownerOf } from '../../database/storage/collections.ts'
import { returnRefused } from '../../database/storage/conflict-handlers.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import { fromStoredMessage, toStoredMessage } from '../../database/storage/stored-message.ts'
import { closeMessage, type OpenedMessage, readEpochId } from '../../encryption/sealed-message.ts'
import type { GroupSecrets } from '../groups/group-secrets.ts'
import { createBackOff } from '../platform/back-off.ts'

/** For how long the answer that a person has no keys counts: a plain chat costs one request. */
const freshMs = 10 * 60_000
/** Members of a group whose records are read at once. */
const membersAtOnce = 4

/** After so many tries whoever comes and goes meanwhile is waited for until the next push. */
const sealingsMost = 3

export type PushSeal = ReturnType<typeof createPushSeal>

/** What became of the documents of one push: of several that run at once each has its own. */
export interface Settled {
  /** May this version not leave? */
  isHeld(message: MessageDocument): boolean
  /** Does it leave at no time, and is owed to nobody? */
  isReturned(id: string): boolean
}

/** Ids. */
interface Outcome {
  /** A newer version was sealed a moment ago. */
  sealed: Set<string>
  /** Words for groups that this person has left: given back, as nobody can seal them any more. */
  returned: Set<string>
}

/**
 * Lets no words leave in plain to somebody who has keys. Words to a person whose record was not
 * read lately wait until it is; what turns out to need sealing is stored sealed, and leaves as that.
 */
export function createPushSeal(options: {
  database: Pick<
    PetrelDatabase,
    'messages' | 'sealing' | 'keyring' | 'peerKeys' | 'groups' | 'groupKeys'
  >
  secrets: Pick<GroupSecrets, 'makeBefore'>
  userId: string
  /** Reads a person's record from the server. */
  askPerson: (userId: string) => Promise<unknown>
  random: () => number
  onError: (cause: unknown) => void
}) {
  const { database, secrets, userId, askPerson, random, onError } = options
  const { messages, sealing, keyring, peerKeys, groups, groupKeys } = database
  const closing = new AbortController()
  const { signal } = closing
  /** When each person's record was last read, or proved to be gone. */
  const askedAt = new Map<string, number>()
  const asking = new Map<string, ReturnType<typeof createBackOff>>()
  const listeners = new Set<() => void>()

  function tell() {
    for (const listener of [...listeners]) listener()
  }

  const isFresh = (peerId: string) =>
    performance.now() - (askedAt.get(peerId) ?? Number.NEGATIVE_INFINITY) < freshMs

  async function ask(peerId: string) {
    if (asking.has(peerId) || signal.aborted) return
    const backOff = createBackOff({ random })
    asking.set(peerId, backOff)
    try {
      while (!isFresh(peerId) && !sealing.mustSeal(peerId)) {
        const attempt = await backOff.begin(signal)
        try {
          await askPerson(peerId)
          askedAt.set(peerId, performance.now())
        } catch (cause) {
          if (isUserGone(cause)) askedAt.set(peerId, performance.now())
          else backOff.fail(attempt, describeFailure(cause))
        }
      }
    } finally {
      backOff.close()
      asking.delete(peerId)
    }
    tell()
  }

  /** Has it words of this person that could be read on the way? */
  function isPlain({ senderId, deletedAt, ...message }: MessageDocument): boolean {
    if (deletedAt !== undefined) return false
    const isOwnPlain =
      senderId === userId &&
      message.sealed === undefined &&
      (message.content !== '' || message.file !== undefined)
    const reaction = message.reactions?.[userId]
    return isOwnPlain || (reaction?.sealed === undefined && (reaction?.emoji ?? '') !== '')
  }

  /** A device that lost its keys, or has none yet, learns from its own person's record whether there are some. */
  const isKnownOff = () => !sealing.isOn() && isFresh(userId)

  /** Whose record it has to wait for, if any. What the server holds already says nothing new. */
  function findUnasked(
    message: MessageDocument,
    server: MessageDocument | undefined,
  ): string | undefined {
    const { peerId } = message
    if (sealing.canSeal(peerId) || !isPlain(message)) return undefined
    if (isKnownThere(message, server)) return undefined
    if (!sealing.isOn()) return userId
    // Of a group the records of all who are in it count.
    if (groups.has(peerId)) return listUnaskedMembers(peerId)[0]
    return isFresh(peerId) && !sealing.mustSeal(peerId) ? undefined : peerId
  }

  const isKnownThere = (message: MessageDocument, server: MessageDocument | undefined) =>
    server !== undefined &&
    message.content === server.content &&
    message.reactions?.[userId]?.emoji === server.reactions?.[userId]?.emoji

  const listUnaskedMembers = (groupId: string) =>
    groupKeys.listKeyless(groupId).filter((id) => !isFresh(id))

  const lacksSecret = ({ peerId }: MessageDocument) =>
    groups.has(peerId) && sealing.isOn() && !sealing.canSeal(peerId)

  const isOfLeft = ({ peerId }: MessageDocument) => groups.get(peerId)?.hasLeft === true

  /** The group would not take them, and they would lie open on the way there. */
  async function giveBack({ _id }: MessageDocument) {
    const { error, code } = refusalOfGroup('group_left')
    await changeDocument(messages, _id, (stored) =>
      stored.status === 'sending'
        ? { ...stored, status: 'failed' as const, error, errorCode: code }
        : stored,
    )
  }

  /** The same for a change of what the group has: nothing of it left. */
  async function giveBackChange({ _id }: MessageDocument, server: MessageDocument) {
    const refusal = refusalOfGroup('group_left')
    await changeDocument(messages, _id, (stored) => {
      const proposed = closeMessage(fromStoredMessage(stored))
      return toStoredMessage(sealing.open(returnRefused(server, { proposed, refusal })), userId)
    })
  }

  /** Whose record each message waits for. */
  const waiting = new Map<string, string>()

  function askForAll(message: MessageDocument, unasked: string) {
    const whose = groups.has(message.peerId) ? listUnaskedMembers(message.peerId) : []
    for (const one of new Set([unasked, ...whose.slice(0, membersAtOnce)])) {
      ask(one).catch((cause: unknown) => {
        if (!signal.aborted) onError(cause)
      })
    }
  }

  async function settleOne(
    message: MessageDocument,
    given: { server: MessageDocument | undefined; outcome: Outcome },
    tries = sealingsMost,
  ): Promise<void> {
    const { _id, peerId } = message
    const { server, outcome } = given
    waiting.delete(_id)
    if (isOfLeft(message) && sealing.isOn() && !isAccepted(message) && isPlain(message)) {
      outcome.returned.add(_id)
      return await giveBack(message)
    }
    const isSaid = server === undefined || isKnownThere(message, server)
    if (isOfLeft(message) && sealing.isOn() && !isSaid && isPlain(message)) {
      outcome.sealed.add(_id)
      return await giveBackChange(message, server)
    }
    const unasked = findUnasked(message, server)
    if (unasked !== undefined) {
      waiting.set(_id, unasked)
      return askForAll(message, unasked)
    }
    if (!isPlain(message) && !isOfFormerKeys(message)) return
    const isSecretDue = lacksSecret(message) && !isKnownThere(message, server)
    if (isSecretDue) await secrets.makeBefore(message)
    await changeDocument(messages, _id, (stored) => {
      const current = fromStoredMessage(stored)
      const next = sealing.sealOwed(current, server)
      if (next === current) return stored
      outcome.sealed.add(_id)
      return toStoredMessage(next, userId)
    })
    // This person may have left meanwhile, or somebody come who has to have a secret, too.
    const isStillPlain = isSecretDue && isPlain(message) && !outcome.sealed.has(_id)
    if (!isStillPlain || !(isOfLeft(message) || sealing.mustSeal(peerId))) return
    if (tries > 1) return await settleOne(message, given, tries - 1)
    outcome.sealed.add(_id)
  }

  const unsubscribes = [keyring.onChange(tell), peerKeys.onChange(tell), groups.onChange(tell)]

  return {
    /**
     * Prepares what is about to leave.
     * @param serverOf the server's version of each, where it is known
     */
    async settle(
      documents: readonly MessageDocument[],
      serverOf: (id: string) => MessageDocument | undefined,
    ): Promise<Settled> {
      const outcome: Outcome = { sealed: new Set(), returned: new Set() }
      if (isKnownOff()) waiting.clear()
      else for (const one of documents) await settleOne(one, { server: serverOf(one._id), outcome })
      return {
        isHeld: ({ _id }) => waiting.has(_id) || outcome.sealed.has(_id),
        isReturned: (id) => outcome.returned.has(id),
      }
    },
    /** Is it still unknown whether it may? */
    isWaiting(message: MessageDocument): boolean {
      const { _id, peerId } = message
      const unasked = waiting.get(_id)
      if (unasked === undefined || sealing.canSeal(peerId) || isOfLeft(message)) return false
      // The own record may say that the reader's has to be read too: the next offer finds that out.
      if (unasked === userId || groups.has(peerId)) return !isFresh(unasked)
      return sealing.mustSeal(peerId) || !isFresh(peerId)
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** The network changed: asks at once. */
    hurry() {
      for (const backOff of asking.values()) backOff.hurry()
    },
    /** The server answered something else: asks at once what did not reach it. */
    recordAnswer() {
      for (const backOff of asking.values()) backOff.recordAnswer()
    },
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
      closing.abort(new Error('Syncing has ended.'))
      for (const backOff of asking.values()) backOff.close()
    },
  }

  function isOfFormerKeys({ senderId, peerId, status, sealed: part }: MessageDocument): boolean {
    if (senderId !== userId || status !== 'sending' || part === undefined) return false
    return !sealing.isSealedNow(peerId, readEpochId(part))
  }
}

/**
 * Seals a message whose file is about to leave, before the first byte of it does.
 * @returns undefined while it must be sealed and cannot be. Rejects when its reader's keys could not
 * be asked for
 */
export function createFirstSealing(given: {
  context: CommandContext
  askPerson: (userId: string) => Promise<unknown>
}) {
  const { context, askPerson } = given
  const { messages, sealing, groups, groupKeys } = context.database
  const askedAt = new Map<string, number>()

  async function ask(peerId: string) {
    const last = askedAt.get(peerId) ?? Number.NEGATIVE_INFINITY
    if (performance.now() - last < freshMs) return
    await askPerson(peerId).catch((cause: unknown) => {
      if (!isUserGone(cause)) throw cause
    })
    askedAt.set(peerId, performance.now())
  }

  /** The group has a secret after it, if all of its members have keys. */
  async function prepareGroup(groupId: string, before: number) {
    const keyless = groupKeys.listKeyless(groupId)
    for (let at = 0; at < keyless.length; at += membersAtOnce) {
      const some = keyless.slice(at, at + membersAtOnce)
      await Promise.all(some.map(ask))
      // Nobody seals to a group in which somebody has no keys.
      if (groupKeys.listKeyless(groupId).some((id) => some.includes(id))) return
    }
    if (!sealing.canSeal(groupId)) await makeGroupSecret(context, { groupId, before })
  }

  return {
    async sealFirst(message: OpenedMessage): Promise<OpenedMessage | undefined> {
      const { _id, peerId, orderedAt } = message
      if (message.sealed !== undefined) return message
      if (!sealing.isOn()) await ask(ownerOf(messages))
      if (!sealing.isOn()) return message
      if (!sealing.canSeal(peerId)) {
        if (groups.has(peerId)) await prepareGroup(peerId, orderedAt)
        else await ask(peerId)
      }
      if (!sealing.canSeal(peerId)) return sealing.mustSeal(peerId) ? undefined : message
      const stored = await changeDocument(messages, _id, (current) => {
        const before = fromStoredMessage(current)
        const next = sealing.sealOwed(before, undefined)
        return next === before ? current : toStoredMessage(next, ownerOf(messages))
      })
      return stored && fromStoredMessage(stored)
    },
  }
}

function describeFailure(cause: unknown): { isAway: boolean; atLeastMs: number } {
  if (!(cause instanceof ApiError)) return { isAway: false, atLeastMs: 0 }
  return { isAway: cause.status === 0 || cause.code === 'timeout', atLeastMs: cause.retryAfterMs }
}
