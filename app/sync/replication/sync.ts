import type { RxCollection } from 'rxdb/plugins/core'
import type { Clock } from '../../database/storage/clock.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import {
  fromServerConversation,
  fromStoredConversation,
} from '../../database/storage/stored-conversation.ts'
import { fromServerMessage, type StoredMessage } from '../../database/storage/stored-message.ts'
import type { PendingFiles } from '../files/pending-files.ts'
import { createPushHold } from '../files/push-hold.ts'
import { createBackOff } from '../platform/back-off.ts'
import type { Platform } from '../platform/platform.ts'
import type { ChangeFeed, FollowedPlace } from '../realtime/change-feed.ts'
import { createExpectations } from './expectations.ts'
import { forgetFormerLife } from './forget-former-life.ts'
import { createMarkHold } from './mark-hold.ts'
import { createReceipts } from './receipts.ts'
import { createReplication, type Replication, type ReplicationOptions } from './replication.ts'
import { replicationKey } from './replication-key.ts'
import { createServerVersions } from './server-versions.ts'
import type { SetAsideTold } from './set-aside.ts'
import { toServerMessage } from './to-server-message.ts'
import { createKnownEpoch } from './transport/known-epoch.ts'
import type { SyncOutcome } from './transport/sync-calls.ts'

const collections = ['messages', 'conversations'] as const
type Collection = (typeof collections)[number]

/** Every few minutes the server is asked even if nothing seems to be missing. */
const resyncEveryMs = 3 * 60_000

export interface SyncOptions {
  database: PetrelDatabase
  platform: Pick<Platform, 'fetch' | 'page' | 'random'>
  serverUrl: string
  readToken: () => string | undefined
  clock: Clock
  onOutcome: (outcome: SyncOutcome | 'broken') => void
  /** Something refuses so many changes of this person each time, with this status. */
  onSetAside: (all: SetAsideTold) => void
  onError: (cause: unknown) => void
  /** How many changes of messages are still to come. */
  onComing: (count: number) => void
  line?: ReplicationOptions<StoredMessage>['line']
  /** What has to be sent before what was said after it. */
  pendingFiles: PendingFiles
  /** What the socket tells of the person's databases. */
  feed: ChangeFeed
}

export interface Sync {
  /** There is a sign of life from outside: try at once what is waiting to be tried. */
  hurry(): void
  /** The socket tells of a message: it should be here in a moment, and is asked for when it is not. */
  expectMessage(id: string): void
  close(): Promise<void>
}

/** Replicates both collections, and gives receipts for what arrives, until it is closed. */
export function createSync(options: SyncOptions): Sync {
  const { database, platform, clock, readToken, onOutcome, onError } = options
  const backOffs = {
    pull: createBackOff({ random: platform.random }),
    push: createBackOff({ random: platform.random }),
  }
  const mending = createBackOff({ random: platform.random })
  const closing = new AbortController()
  const shared = {
    fetch: platform.fetch,
    readToken,
    clock,
    backOffs,
    onOutcome: handleOutcome,
    line: options.line,
    heard: { at: 0 },
    random: platform.random,
    onBroken: restart,
    onMadeAnew: beginAnew,
  }
  const { epochs } = database.device
  const marks = createMarkHold()
  const replications = new Map<Collection, Replication>()
  let isMending = false

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

  /** @param offersAll nothing is known of what the server holds: all is compared, and what it lacks is offered */
  async function startOne(collection: Collection, { offersAll = false } = {}) {
    const stored = await epochs.get(collection)
    const identifier = replicationKey(stored)
    await forgetFormerLife<{ _id: string }>(database[collection] as RxCollection, identifier)
    const onNew = (epoch: string) => renew(collection, epoch)
    const common = {
      ...shared,
      url: `${options.serverUrl}/sync/${collection}/`,
      feed: feedOf(collection),
      identifier,
      onSetAside: (all: SetAsideTold) => noteSetAside(collection, all),
      epoch: createKnownEpoch({ table: epochs, collection, stored, onNew }),
      ...(offersAll && { versions: createServerVersions() }),
    }
    if (closing.signal.aborted) return
    const replication =
      collection === 'messages'
        ? createReplication<StoredMessage>({
            ...common,
            collection: database.messages,
            hold: createPushHold(options.pendingFiles),
            onComing(count) {
              receipts.setComingCount(count)
              options.onComing(count)
            },
            onCatchUp: marks.setCatchingUp,
            fromServer: fromServerMessage,
            toServer: (stored) => toServerMessage(database.messages, stored, onError),
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

  async function stop() {
    const ending = [...replications.values()]
    replications.clear()
    // What they still had to write has failed already: that ends them all the same.
    await Promise.allSettled(ending.map((replication) => replication.close()))
  }

  const asides = new Map<Collection, SetAsideTold>()
  function noteSetAside(collection: Collection, told: SetAsideTold) {
    asides.set(collection, told)
    const all = [...asides.values()]
    options.onSetAside({
      count: all.reduce((sum, { count }) => sum + count, 0),
      status: all.find(({ count }) => count > 0)?.status,
    })
  }

  /** Each direction waits for itself; that the server is there again concerns both. */
  function handleOutcome(outcome: SyncOutcome) {
    if (outcome === 'reached') handleAnswer()
    onOutcome(outcome)
  }

  function handleAnswer() {
    for (const backOff of Object.values(backOffs)) backOff.recordAnswer()
  }

  function hurry() {
    for (const backOff of Object.values(backOffs)) backOff.hurry()
  }

  /** What the server had told is not true any more (a backup was put back): begins again, and loses nothing. */
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

  /** RxDB goes on after a write that failed here, and would never ask again for what it was to store. */
  function restart(cause: unknown) {
    onError(cause)
    if (isMending || closing.signal.aborted) return
    onOutcome('broken')
    beginAnew()
  }

  function beginAnew() {
    if (isMending || closing.signal.aborted) return
    isMending = true
    changing = changing.then(async () => {
      await stop()
      const attempt = await mending.begin(closing.signal)
      mending.fail(attempt)
      await mending.begin(closing.signal)
      isMending = false
      if (!closing.signal.aborted) await start()
    })
    changing = changing.catch((error: unknown) => {
      isMending = false
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
    if (event === 'offline' || event === 'back') return
    hurry()
    reSync()
    for (const replication of replications.values()) replication.release()
  })

  const expectations = createExpectations({
    messages: database.messages,
    onMissing: reSync,
    onError,
  })

  return {
    hurry,
    expectMessage(id) {
      // The server is there; that somebody has written is no reason to repeat what it has refused.
      handleAnswer()
      expectations.expect(id)
    },
    async close() {
      clearInterval(timer)
      expectations.close()
      unsubscribe()
      receipts.close()
      closing.abort(new Error('Syncing has ended.'))
      options.feed.stop()
      for (const backOff of Object.values(backOffs)) backOff.close()
      mending.close()
      await changing
      await stop()
    },
  }
}
