import { setImmediate as yieldToOthers } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { AccountsDocument } from '../access/account-documents.ts'
import type { Accounts } from '../access/accounts.ts'
import type { PushDocument } from '../access/push-subscription-documents.ts'
import type { Relations } from '../access/relations.ts'
import type { Sessions } from '../access/sessions.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Log } from '../lib/log.ts'
import type { OrderJournal } from '../messages/order/order-journal.ts'
import type { Levels } from '../metrics/read-levels.ts'
import type { SharedFronts } from '../realtime/presence/shared-fronts.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'
import { createPushChecks } from './push-checks.ts'
import { type PushClock, realPushClock } from './push-clock.ts'
import { isPushEndpoint } from './push-endpoint.ts'
import { keepPushKeys, type PushKeys } from './push-keys.ts'
import { createPushNews } from './push-news.ts'
import { createPushQueue, type EntryOutcome, type PushEntry } from './push-queue.ts'
import { createPushSender, type SealedPush } from './push-sender.ts'
import { createPushSubscriptions } from './push-subscriptions.ts'
import { canTakeRead, createShownPushes, type ReadDevices } from './shown-pushes.ts'

/**
 * Many may be on their way to slow services, but few ask the storage and the processor at once:
 * messages need both.
 */
const preparedAtOnce = 2

export type Push = Awaited<ReturnType<typeof createPush>>

/**
 * Web push: tells the devices of people who look at none of them that somebody wrote. Nothing
 * depends on it, and no message waits for it.
 * @param given the pair of keys from the settings
 * @param subject how a push service reaches the operator: `mailto:` or `https:`
 */
export async function createPush(options: {
  storage: Pick<Storage, 'database'>
  database: StoredDatabase<AccountsDocument>
  isShared: boolean
  link: ServerLink | undefined
  accounts: Accounts
  sessions: Sessions
  relations: Relations
  fronts: SharedFronts
  nameContact: (ownerId: string, contactId: string) => Promise<string | undefined>
  listPlaces: OrderJournal['listBetween']
  given: PushKeys | undefined
  subject: string
  /** For tests: push services on this machine, over HTTP. */
  isLoopbackAllowed?: boolean | undefined
  clock?: PushClock | undefined
  random?: (() => number) | undefined
  log: Log
  onError: (error: unknown) => void
}) {
  const { database, isShared, sessions, fronts, log, onError } = options
  const { clock = realPushClock, random = Math.random, isLoopbackAllowed = false } = options
  const keys = await keepPushKeys({ database, given: options.given })
  const subscriptions = createPushSubscriptions({ database, isShared, now: clock.now })
  const sender = createPushSender({
    keys,
    subject: options.subject,
    isLoopbackAllowed,
    now: clock.now,
  })
  const prepare = createPushChecks({ ...options, clock })
  const turn = pLimit(preparedAtOnce)

  async function send(entry: PushEntry): Promise<EntryOutcome> {
    const endFlight = shown.begin(entry.device, entry.peerId)
    const sent = { upTo: undefined as number | undefined }
    try {
      const prepared = await turn(() => prepareSealed(entry))
      if (!prepared) return { kind: 'dropped' }
      const outcome = await deliver(entry.device, prepared.sealed)
      if (outcome.kind === 'sent' && 'upTo' in prepared) sent.upTo = prepared.upTo
      return outcome
    } finally {
      endFlight(sent.upTo)
    }
  }

  async function prepareSealed(entry: PushEntry) {
    const prepared = await prepare(entry)
    if (!prepared) return undefined
    // What came in meanwhile goes first: the encryption holds the whole server up.
    await yieldToOthers()
    return { ...prepared, sealed: sender.seal(entry.device, prepared.payload) }
  }

  async function deliver(
    device: PushDocument,
    sealed: SealedPush | undefined,
  ): Promise<EntryOutcome> {
    // Earlier servers kept keys for which nothing can be encrypted.
    const outcome: EntryOutcome = sealed ? await sender.send(sealed) : { kind: 'gone' }
    if (outcome.kind === 'gone') await subscriptions.remove(device, device.endpoint)
    if (outcome.kind === 'later' || outcome.kind === 'refused') {
      // The rest of an endpoint is a secret: who knows it can push, or at least disturb.
      const { host } = new URL(device.endpoint)
      log.warn({ host, ...outcome }, 'a push was not taken')
    }
    return outcome
  }

  /** Devices that showed messages of a chat which was read on another. */
  async function tellRead({ userId, peerId, deviceIds }: ReadDevices) {
    for (const device of await subscriptions.listOf(userId)) {
      if (!deviceIds.includes(device._id) || !canTakeRead(device)) continue
      queue.add({
        device,
        peerId,
        messageIds: [],
        count: 0,
        queuedAt: clock.now(),
        isRead: true,
      })
    }
  }

  const shown = createShownPushes({
    link: options.link,
    onRead: (devices) => void tellRead(devices).catch(onError),
  })
  const queue = createPushQueue({ clock, random, send, onError })
  const news = createPushNews({ subscriptions, queue, fronts, clock, onError })
  const stopListening = sessions.onEnded((ended) => {
    subscriptions.remove(ended).catch(onError)
  })

  const readCount = (name: keyof typeof queue.counts) => () => queue.counts[name]
  const levels: Levels = {
    gauges: {
      petrel_pushes_waiting: { help: 'Pushes that wait.', read: readCount('waiting') },
    },
    counters: {
      petrel_pushes_sent_total: {
        help: 'Pushes that a push service has taken.',
        read: readCount('sent'),
      },
      petrel_pushes_failed_total: {
        help: 'Attempts at a push that are made again later.',
        read: readCount('failed'),
      },
      petrel_pushes_refused_total: {
        help: 'Pushes that a push service will not take.',
        read: () => queue.counts.refused + queue.counts.gone,
      },
      petrel_pushes_dropped_total: {
        help: 'Pushes that nobody needed any more, or that had no room.',
        read: readCount('dropped'),
      },
    },
  }

  return {
    publicKey: keys.publicKey,
    subscriptions,
    levels,
    /** New messages, as they were accepted. Returns at once. */
    record: news.record,
    /** A person has read a chat. Returns at once. */
    recordRead: shown.recordRead,
    /** May pushes go to this address? */
    accepts: (endpoint: string) =>
      isPushEndpoint(endpoint) || (isLoopbackAllowed && endpoint.startsWith('http://127.0.0.1:')),
    close() {
      stopListening()
      news.close()
      shown.close()
      queue.close()
      sender.close()
      fronts.close()
    },
  }
}
