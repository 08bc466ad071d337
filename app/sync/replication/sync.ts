import type { RxCollection } from 'rxdb/plugins/core'
import { limits } from '../../../schema/limits.ts'
import { areMessagesEqual } from '../../../schema/merge-messages.ts'
import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { refuse } from '../../../schema/refusal.ts'
import { changeMessage } from '../../database/commands/change-message.ts'
import { closeGaps, recordAhead } from '../../database/commands/mark-read.ts'
import type { Clock } from '../../database/storage/clock.ts'
import { type MessageCollection, subscribeToChanges } from '../../database/storage/collections.ts'
import { openOwedNotes } from '../../database/storage/dexie/owed-notes.ts'
import type { Inbox } from '../../database/storage/inbox.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import { readDocuments } from '../../database/storage/read-documents.ts'
import {
  fromServerConversation,
  fromStoredConversation,
} from '../../database/storage/stored-conversation.ts'
import {
  fromServerMessage,
  fromStoredMessage,
  listTally,
  pendingTally,
  type StoredMessage,
} from '../../database/storage/stored-message.ts'
import { closeMessage } from '../../encryption/sealed-message.ts'
import type { PendingFiles } from '../files/pending-files.ts'
import { createPushHold } from '../files/push-hold.ts'
import { createPushSeal } from '../files/push-seal.ts'
import { followGroupFlags } from '../groups/group-flags.ts'
import { createGroupSecrets } from '../groups/group-secrets.ts'
import type { OwnGroups } from '../groups/own-groups.ts'
import { createKeptDocuments } from '../inbox/kept-documents.ts'
import { createBackOff } from '../platform/back-off.ts'
import type { Platform } from '../platform/platform.ts'
import type { ChangeFeed, FollowedPlace } from '../realtime/change-feed.ts'
import { wholeKey } from './find-owed.ts'
import type { GroupChanged } from './group-pull.ts'
import { createMarkHold } from './mark-hold.ts'
import type { FinalRefusals } from './push-documents.ts'
import { createReceipts } from './receipts.ts'
import { createReplication, type Replication, type ReplicationOptions } from './replication.ts'
import { openReplicationNotes, replicationKey } from './replication-notes.ts'
import { createServerVersions } from './server-versions.ts'
import type { SetAsideTold } from './set-aside.ts'
import { createKnownEpoch } from './transport/known-epoch.ts'
import { type SyncOutcome, unexplainedWords } from './transport/sync-calls.ts'
import { createUnparsed } from './unparsed.ts'

/** A poll that delivers nothing for this long after a socket hint hangs on a dead connection. */
const expectedWithinMs = 1_500

/** Far more than any message a screen accepts, and less than the limit of a whole request. */
const longestText = 4 * limits.messageMaxCharacters

/** Replications that lived this long worked: the next failure has nothing to do with the last. */
const steadyMs = 60_000

const begunPrefix = 'mark|begun|'

const collections = ['messages', 'conversations'] as const

type Collection = (typeof collections)[number]

/** Asks the server every few minutes even when nothing seems missing. */
const resyncEveryMs = 3 * 60_000

const groupLookMs = 30

/** After the last deletion. */
const roomAfterMs = 2_000

export interface SyncOptions {
  userId: string
  database: PetrelDatabase
  platform: Pick<Platform, 'page' | 'random'>
  /** Its pushes may go over the line. */
  fetch: typeof fetch
  serverUrl: string
  readToken: () => string | undefined
  clock: Clock
  onOutcome: (outcome: SyncOutcome | 'broken') => void
  /** This many changes of this person are refused each time, with this status. */
  onSetAside: (all: SetAsideTold) => void
  onError: (cause: unknown) => void
  /** How many changes of messages are still to come. */
  onComing: (count: number) => void
  line?: ReplicationOptions<StoredMessage>['line']
  /** Reads a person's record, with their keys, from the server. */
  askPerson: (userId: string) => Promise<unknown>
  /** This person's groups, and whether the server has any. */
  groups: Pick<OwnGroups, 'isOn' | 'takePulled' | 'listMade' | 'recordOf' | 'isUnborn' | 'onBorn'>
  /** Messages that must be sent before later ones. */
  pendingFiles: PendingFiles
  /** The socket's changes of the person's databases. */
  feed: ChangeFeed
  /** What the service worker fetched. */
  inbox: Inbox
}

export interface Sync {
  /** A sign of life from outside: retries immediately. */
  hurry(): void
  /** The person wants it now: also offers again what was set aside. */
  sendNow(): void
  /** Ms until the next push; undefined while it may start. */
  nextTryInMs(): number | undefined
  /** The socket announced a message: it should arrive in a moment, or this asks for it. */
  expectMessage(id: string): void
  /** The socket announced something new in a group, or brought it. */
  lookAtGroups(told?: GroupChanged): void
  close(): Promise<void>
}

/** Replicates both collections, and sends receipts for arrivals, until closed. */
export function createSync(options: SyncOptions): Sync {
  const { database, platform, clock, readToken, onOutcome, onError } = options
  const backOffs = {
    pull: createBackOff({ random: platform.random }),
    push: createBackOff({ random: platform.random }),
  }
  const restarting = createRestartPace({ random: platform.random })
  const closing = new AbortController()
  const shared = {
    fetch: options.fetch,
    readToken,
    clock,
    backOffs,
    onOutcome: handleOutcome,
    line: options.line,
    heard: { at: 0 },
    random: platform.random,
    onBroken: restart,
    onRecreated: beginAgain,
    onRoom: offerToRoom,
  }
  const { epochs } = database.device
  const marks = createMarkHold()
  const secrets = createGroupSecrets({
    database,
    userId: options.userId,
    now: clock.now,
    askPerson: options.askPerson,
    platform,
    onError,
  })
  const flags = followGroupFlags({ database, onError })
  const seal = createPushSeal({
    database,
    secrets,
    userId: options.userId,
    askPerson: options.askPerson,
    random: platform.random,
    onError,
  })
  const replications = new Map<Collection, Replication>()
  let isRestarting = false
  let room: ReturnType<typeof setTimeout> | undefined

  const feedOf = (database: Collection) => ({
    isOpen: options.feed.isOpen,
    async next(place: Omit<FollowedPlace, 'database'>) {
      closing.signal.throwIfAborted()
      return await options.feed.next({ ...place, database })
    },
  })

  async function start() {
    for (const collection of collections) await startOne(collection)
  }

  /**
   * @param offersAll the server's versions are unknown: compares everything and offers what it
   * lacks
   */
  async function startOne(collection: Collection, { offersAll = false } = {}) {
    const stored = await epochs.get(collection)
    const identifier = replicationKey(stored)
    await forgetFormerLife<{ _id: string }>(database[collection] as RxCollection, identifier)
    const onNew = (epoch: string) => renew(collection, epoch)
    const common = {
      ...shared,
      url: `${options.serverUrl}/sync/${collection}/`,
      feed: feedOf(collection),
      kept: createKeptDocuments<{ _id: string }>({
        inbox: options.inbox,
        collection: database[collection] as RxCollection,
        name: collection,
        ...(collection === 'messages' && {
          // What is pushed and is not to this person is to a group.
          isOfKnown: ({ recipientId, peerId }) =>
            recipientId === options.userId || database.groups.has(String(peerId)),
          recordAhead: (documents) => recordAhead(database, documents),
          async closeGaps() {
            await closeGaps(database)
            receipts.lookAgain()
          },
        }),
      }),
      identifier,
      onSetAside: (all: SetAsideTold) => recordSetAside(collection, all),
      epoch: createKnownEpoch({ table: epochs, collection, stored, onNew }),
      ...(offersAll && { versions: createServerVersions() }),
    }
    if (closing.signal.aborted) return
    const replication =
      collection === 'messages'
        ? createReplication<StoredMessage>({
            ...common,
            collection: database.messages,
            hold: createPushHold({ pending: options.pendingFiles, seal, groups: options.groups }),
            groups: {
              serverUrl: `${options.serverUrl}/`,
              groupOf: ({ peerId }) =>
                typeof peerId === 'string' && database.groups.has(peerId) ? peerId : undefined,
              isOn: options.groups.isOn,
              onGroups: options.groups.takePulled,
              listMade: listAskedGroups,
              passed: stored?.passed,
              // A new epoch of the server has a row of its own.
              keepPassed: (passed) => epochs.update(collection, { passed }),
              recordOf: options.groups.recordOf,
              async listUnanswered(groupId) {
                const waiting = await listTally(database.messages, pendingTally)
                return waiting.flatMap(({ _id, peerId }) => (peerId === groupId ? _id : []))
              },
              async setTaken(ids) {
                for (const id of ids) {
                  await changeMessage(database.messages, id, (current) =>
                    current.status === 'sending' ? { ...current, status: 'sent' } : current,
                  )
                }
              },
              refusalsOf,
            },
            ordered: database.messages,
            unparsed: createUnparsed({ messages: database.messages, epochs }),
            onComing(count) {
              receipts.setComingCount(count)
              options.onComing(count)
            },
            onCatchUp: marks.setCatchingUp,
            fromServer: (document) =>
              fromServerMessage(document, options.userId, database.sealing.open),
            toServer: (stored) => toServerMessage(database.messages, stored, onError),
            isWithdrawn: ({ deletedAt }) => deletedAt !== undefined,
          })
        : createReplication({
            ...common,
            collection: database.conversations,
            fromServer: fromServerConversation,
            toServer: fromStoredConversation,
            untilFree: marks.untilFree,
          })
    replications.set(collection, replication)
  }

  /**
   * Also one that is over, while something in it has no answer: a device that died between the two
   * would hear of that group no more.
   */
  async function listAskedGroups() {
    const made = await options.groups.listMade()
    if (database.groups.list().every(({ hasLeft }) => !hasLeft)) return made
    const waiting = await listTally(database.messages, pendingTally)
    const left = waiting.flatMap(({ peerId }) =>
      database.groups.get(peerId)?.hasLeft ? peerId : [],
    )
    return [...new Set([...made, ...left])]
  }

  async function stop() {
    const ending = [...replications.values()]
    replications.clear()
    // Their remaining writes have failed already: that ends them all the same.
    await Promise.allSettled(ending.map((replication) => replication.close()))
  }

  const asides = new Map<Collection, SetAsideTold>()
  function recordSetAside(collection: Collection, told: SetAsideTold) {
    asides.set(collection, told)
    const all = [...asides.values()]
    const first = all.find(({ count }) => count > 0)
    options.onSetAside({
      count: all.reduce((sum, { count }) => sum + count, 0),
      status: first?.status,
      words: first?.words,
      pushes: new Map(all.flatMap(({ pushes }) => [...pushes])),
    })
  }

  /**
   * Room is a person's, whatever collection uses it. Whoever makes room deletes several things: what
   * is offered after the first would still be refused, and for good.
   */
  function offerToRoom() {
    clearTimeout(room)
    room = setTimeout(() => {
      for (const replication of replications.values()) replication.releaseOfServer()
    }, roomAfterMs)
  }

  /** Each direction has its own delay; the server's return concerns both. */
  function handleOutcome(outcome: SyncOutcome) {
    if (outcome === 'reached') handleAnswer()
    onOutcome(outcome)
  }

  function handleAnswer() {
    seal.recordAnswer()
    for (const backOff of Object.values(backOffs)) backOff.recordAnswer()
  }

  function hurry() {
    seal.hurry()
    for (const backOff of Object.values(backOffs)) backOff.hurry()
    restarting.hurry()
  }

  /**
   * The server's earlier answers are void (a backup was restored): starts over, and loses nothing.
   */
  function renew(collection: Collection, epoch: string) {
    changing = changing.then(async () => {
      const ended = replications.get(collection)
      if (closing.signal.aborted || !ended) return
      replications.delete(collection)
      const stored = await epochs.get(collection)
      if (stored?.epoch !== epoch) await epochs.put({ _id: collection, epoch, isRenewed: true })
      await ended.remove()
      await startOne(collection, { offersAll: true })
    })
    changing = changing.catch((error: unknown) => {
      if (!closing.signal.aborted) restart(error)
    })
  }

  /**
   * RxDB continues after a failed local write, and would never ask again for the lost documents.
   */
  function restart(cause: unknown) {
    // Closing ends a start under way: nothing has failed.
    if (closing.signal.aborted) return
    onError(cause)
    if (isRestarting) return
    onOutcome('broken')
    beginAgain()
  }

  function beginAgain() {
    if (isRestarting || closing.signal.aborted) return
    isRestarting = true
    changing = changing.then(async () => {
      await stop()
      await restarting.wait(closing.signal)
      isRestarting = false
      if (closing.signal.aborted) return
      await start()
      restarting.recordBegun()
    })
    changing = changing.catch((error: unknown) => {
      isRestarting = false
      if (!closing.signal.aborted) restart(error)
    })
  }

  function reSync() {
    for (const replication of replications.values()) replication.reSync()
  }

  let changing = start().catch(restart)
  const receipts = createReceipts({ database, onError })
  const timer = setInterval(reSync, resyncEveryMs)
  const unsubscribe = platform.page.subscribe((event) => {
    if (event !== 'offline' && event !== 'back') sendNow()
  })

  // Deleted here or on another device.
  const unsubscribeDeletions = subscribeToChanges(database.messages, ({ documents }) => {
    if (documents.some(({ deletedAt }) => deletedAt !== undefined)) offerToRoom()
  })

  function sendNow() {
    hurry()
    reSync()
    for (const replication of replications.values()) replication.release()
  }

  let groupLook: ReturnType<typeof setTimeout> | undefined
  const refusalsOf = (groupId: string): FinalRefusals => ({
    // A 404 may be anybody's; that the group is over was said in the server's own words.
    isFinal: ({ status, code }) =>
      code !== undefined && (status !== 404 || database.groups.get(groupId)?.hasLeft === true),
    findLast(offered, known) {
      const proposed = JSON.parse(offered) as MessageDocument
      const held = known as unknown as MessageDocument
      // No answer but an acceptance leaves this attempt as what the server has.
      const isTaken =
        held.status === 'sending' &&
        held.attempt === proposed.attempt &&
        proposed.status !== 'failed'
      if (!isTaken && !isAccepted(held)) return undefined
      const last: MessageDocument = isTaken ? { ...held, status: 'sent' } : held
      // One's own marks are no matter of the group.
      const { isStarred, isStarredAt, isHidden, isHiddenAt, refused, status } = last
      const own = { isStarred, isStarredAt, isHidden, isHiddenAt, refused, status }
      return areMessagesEqual(last, { ...proposed, ...own }) ? undefined : { ...last }
    },
    async take(offered, { words = unexplainedWords, code = '' }, isStored) {
      const { _id: id, attempt, senderId } = JSON.parse(offered) as MessageDocument
      // A restored server lacks it until its author offers it.
      if (code === 'wrong_sender' && senderId !== options.userId) return
      if (isStored) return void database.refusals.set(id, { code, error: words })
      await changeMessage(database.messages, id, (current) =>
        // What was refused may be on its way once more by now.
        current.status === 'sending' && current.attempt === attempt
          ? { ...current, status: 'failed', error: words, errorCode: code }
          : current,
      )
    },
  })

  const expectations = createExpectations({
    messages: database.messages,
    onMissing: reSync,
    onError,
  })

  return {
    hurry,
    sendNow,
    nextTryInMs: backOffs.push.remainingMs,
    expectMessage(id) {
      // The server is up; a new message is no reason to repeat what it has refused.
      handleAnswer()
      expectations.expect(id)
    },
    lookAtGroups(told) {
      handleAnswer()
      if (told && replications.get('messages')?.takeGroupChanged(told)) return
      // Many hints within a moment are one question.
      groupLook ??= setTimeout(() => {
        groupLook = undefined
        replications.get('messages')?.reSync()
      }, groupLookMs)
    },
    async close() {
      clearInterval(timer)
      clearTimeout(room)
      clearTimeout(groupLook)
      expectations.close()
      unsubscribe()
      unsubscribeDeletions()
      receipts.close()
      seal.close()
      secrets.close()
      flags.close()
      closing.abort(new Error('Syncing has ended.'))
      options.feed.stop()
      for (const backOff of Object.values(backOffs)) backOff.close()
      restarting.close()
      await changing
      await stop()
    },
  }
}

/**
 * Replication notes lie in a separate database, which may outlive deleted documents, or get an old
 * place from a page that missed the deletion. A recreated database starts from scratch: notes older
 * than its first replication are not its own.
 */
async function forgetFormerLife<T>(collection: RxCollection<T>, identifier: string): Promise<void> {
  const notes = await openOwedNotes(collection)
  const begun = begunPrefix + identifier
  if (!(await notes.isMadeHere()) || (await notes.hasMark(begun))) return
  const former = await openReplicationNotes(collection, identifier)
  await former.remove()
  // Before the first replication all owed documents were written here. Later, everything is
  // checked.
  const isFirst = !(await notes.hasMarkLike(begunPrefix))
  await notes.setMarks(isFirst ? [begun, wholeKey(identifier)] : [begun])
}

/** Waits before replications that ended are begun again, longer after each failure in a row. */
export function createRestartPace(options: { random: () => number }) {
  const backOff = createBackOff(options)
  let begunAt: number | undefined

  return {
    /** Resolves when the next ones may begin. Rejects when `signal` aborts. */
    async wait(signal: AbortSignal): Promise<void> {
      if (begunAt !== undefined && performance.now() - begunAt >= steadyMs) backOff.forget()
      // Ones that cannot even begin live no time.
      begunAt = undefined
      backOff.fail(await backOff.begin(signal))
      await backOff.begin(signal)
    },
    /** They have begun. */
    recordBegun() {
      begunAt = performance.now()
    },
    hurry: backOff.hurry,
    close: backOff.close,
  }
}

/**
 * The part of a message that leaves the device: the replicated fields, with words sealed. One too large for any
 * request would stop all others, so this refuses it here as the server would: with its text and the
 * reason (P6).
 */
export function toServerMessage(
  messages: MessageCollection,
  stored: StoredMessage,
  onError: (cause: unknown) => void,
): StoredMessage | null {
  const message = closeMessage(fromStoredMessage(stored))
  if (typeof message.content !== 'string' || message.content.length <= longestText) {
    // Replication compares and sends these fields; arrival recomputes the others.
    return message as StoredMessage
  }
  const { error, code } = refuse('too_long')
  changeMessage(messages, stored._id, (current) =>
    current.status === 'sending'
      ? { ...current, status: 'failed', error, errorCode: code }
      : current,
  ).catch(onError)
  return null
}

/** Messages announced by the socket: they should arrive in a moment, or this asks for them. */
function createExpectations(options: {
  messages: PetrelDatabase['messages']
  onMissing: () => void
  onError: (cause: unknown) => void
}): { expect(messageId: string): void; close(): void } {
  const { messages, onMissing, onError } = options
  const expected = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function look() {
    timer = undefined
    const ids = [...expected]
    expected.clear()
    const found = await readDocuments(messages, ids)
    if (found.size < ids.length) onMissing()
  }

  const unsubscribe = subscribeToChanges(messages, ({ documents }) => {
    for (const { _id } of documents) expected.delete(_id)
  })
  return {
    expect(messageId) {
      expected.add(messageId)
      timer ??= setTimeout(() => void look().catch(onError), expectedWithinMs)
    },
    close() {
      clearTimeout(timer)
      unsubscribe()
    },
  }
}
