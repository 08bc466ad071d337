import type { ReplicatedDatabase } from '../../schema/socket-events.ts'
import type { Clock } from '../database/create-clock.ts'
import type { PetrelDatabase } from '../database/open-database.ts'
import { fromStoredConversation, takePulledConversation } from '../database/stored-conversation.ts'
import { type StoredMessage, takePulledMessage } from '../database/stored-message.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createBackOff } from './create-back-off.ts'
import { createExpectations } from './create-expectations.ts'
import { createReceipts } from './create-receipts.ts'
import {
  createReplication,
  type Replication,
  type ReplicationOptions,
} from './create-replication.ts'
import type { SyncOutcome } from './create-sync-fetch.ts'
import { givePushedMessage } from './give-pushed-message.ts'
import type { Powers } from './powers.ts'

/** Every few minutes the server is asked even if nothing seems to be missing. */
const resyncEveryMs = 3 * 60_000

export interface SyncOptions {
  database: PetrelDatabase
  powers: Pick<Powers, 'fetch' | 'page' | 'random'>
  serverUrl: string
  readToken: () => string | undefined
  clock: Clock
  onOutcome: (outcome: SyncOutcome | 'broken') => void
  onError: (cause: unknown) => void
  line?: ReplicationOptions<StoredMessage>['line']
  /** What the socket tells of the person's databases. */
  feed: ChangeFeed
}

export interface Sync {
  /** There is a sign of life from outside: try at once what is waiting to be tried. */
  hurry(): void
  /** The socket tells of a message: it should be here in a moment, and is asked for when it is not. */
  expectMessage(id: string): void
  /** How many documents of this device the server does not hold as they are. */
  countUnsent(): Promise<number>
  close(): Promise<void>
}

/** Replicates both collections, and gives receipts for what arrives, until it is closed. */
export function createSync(options: SyncOptions): Sync {
  const { database, powers, clock, readToken, onOutcome, onError } = options
  const backOff = createBackOff({ random: powers.random })
  const mending = createBackOff({ random: powers.random })
  const closing = new AbortController()
  const shared = {
    ...{ fetch: powers.fetch, readToken, clock, backOff, onOutcome, line: options.line },
    onBroken: mend,
  }
  let replications: Replication[] = []
  let changing = Promise.resolve()
  let isMending = false

  const feedOf = (database: ReplicatedDatabase) => ({
    isOpen: options.feed.isOpen,
    next: (since: string, signal: AbortSignal) => options.feed.next(database, since, signal),
  })

  function start() {
    replications = [
      createReplication<StoredMessage>({
        ...shared,
        collection: database.messages,
        url: `${options.serverUrl}/sync/messages/`,
        feed: feedOf('messages'),
        takePulled: takePulledMessage,
        givePushed: (stored) => givePushedMessage(database.messages, stored, onError),
      }),
      createReplication({
        ...shared,
        collection: database.conversations,
        url: `${options.serverUrl}/sync/conversations/`,
        feed: feedOf('conversations'),
        takePulled: takePulledConversation,
        givePushed: fromStoredConversation,
      }),
    ]
  }

  async function stop() {
    const ending = replications
    replications = []
    await Promise.all(ending.map((replication) => replication.close()))
  }

  /** RxDB goes on after a write that failed here, and would never ask again for what it was to store. */
  function mend(cause: unknown) {
    onError(cause)
    if (isMending || closing.signal.aborted) return
    isMending = true
    onOutcome('broken')
    changing = changing.then(async () => {
      await stop()
      const attempt = await mending.begin(closing.signal)
      mending.fail(attempt)
      await mending.begin(closing.signal)
      isMending = false
      if (!closing.signal.aborted) start()
    })
    changing = changing.catch((error: unknown) => {
      if (!closing.signal.aborted) onError(error)
    })
  }

  function reSync() {
    for (const replication of replications) replication.reSync()
  }

  start()
  const receipts = createReceipts({ database, onError })
  const timer = setInterval(reSync, resyncEveryMs)
  const unsubscribe = powers.page.subscribe((event) => {
    if (event === 'offline' || event === 'back') return
    backOff.hurry()
    reSync()
  })

  const expectations = createExpectations({
    messages: database.messages,
    onMissing: reSync,
    onError,
  })

  return {
    hurry: () => backOff.hurry(),
    expectMessage(id) {
      backOff.hurry()
      expectations.expect(id)
    },
    async countUnsent() {
      const unsent = await Promise.all(replications.map((each) => each.findUnsent()))
      return unsent.flat().length
    },
    async close() {
      clearInterval(timer)
      expectations.close()
      unsubscribe()
      receipts.close()
      closing.abort(new Error('Syncing has ended.'))
      backOff.close()
      mending.close()
      await changing
      await stop()
    },
  }
}
