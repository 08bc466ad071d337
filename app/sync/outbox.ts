import { isUploadOwed } from '../../schema/message.ts'
import { type CommandContext, subscribeToChanges } from '../database/storage/collections.ts'
import type { PetrelDatabase } from '../database/storage/open-database.ts'
import { countDocuments, readDocuments } from '../database/storage/read-documents.ts'
import { failedTally, pendingTally, refusedTally } from '../database/storage/stored-message.ts'
import { createLiveValue, type LiveValue } from '../database/views/live-value.ts'
import { createRefresher } from '../database/views/refresher.ts'
import type { createFiles } from './files/files.ts'
import type { Leadership } from './leadership.ts'
import type { HiddenMessages, OutboxCounts, OutboxItem, OutboxView } from './outbox/outbox-types.ts'
import { monotonicNow } from './replication/set-aside.ts'
import type { RequestQueue, Requests } from './requests/requests.ts'

const tallies = [pendingTally, failedTally, refusedTally] as const

/** Everything of this person that waits or was refused: messages, their files, and requests. */
export interface Outbox {
  counts: LiveValue<OutboxCounts>
  /** All of that, for a screen. The caller closes it. */
  open(): Promise<OutboxView>
  close(): void
}

/** Joins what is stored to those who send it, and know when they will try again. */
export function createOutbox(options: {
  context: CommandContext
  queue: Pick<RequestQueue, 'requests' | 'nextTryInMs'>
  files: Pick<ReturnType<typeof createFiles>, 'pending' | 'nextTryInMs'>
  leadership: Pick<Leadership, 'setAside' | 'nextTryInMs'>
  withheld: LiveValue<HiddenMessages>
  /** Changes whenever the server was reached or lost. */
  connection: LiveValue<unknown>
  onError: (cause: unknown) => void
}): Outbox {
  const { context, queue, files, leadership, withheld, connection, onError } = options
  const { database } = context
  const { requests } = queue
  const { setAside } = leadership
  const { counts, close } = createOutboxCounts({ database, requests, withheld, onError })

  function nextTryInMs(item: OutboxItem): number | undefined {
    if (item.kind === 'request') return queue.nextTryInMs(item.entry.resource)
    const dueAt = setAside.getSnapshot().get(item.id)?.dueAt
    if (dueAt !== undefined) return Math.max(0, dueAt - monotonicNow())
    const isForFile = isUploadOwed(item.message)
    return isForFile ? files.nextTryInMs(item.message.peerId) : leadership.nextTryInMs()
  }

  return {
    counts,
    async open() {
      const { createOutboxView } = await import('./outbox/outbox-view.ts')
      const { pending } = files
      return createOutboxView({
        context,
        requests,
        pending,
        withheld,
        setAside,
        connection,
        nextTryInMs,
        onError,
      })
    },
    close,
  }
}

/** Counts what waits and what was refused, from the index alone. */
function createOutboxCounts(options: {
  database: Pick<PetrelDatabase, 'messages'>
  requests: Pick<Requests, 'entries'>
  withheld: LiveValue<HiddenMessages>
  onError: (cause: unknown) => void
}): { counts: LiveValue<OutboxCounts>; close(): void } {
  const { database, requests, withheld, onError } = options
  const { messages } = database
  const counts = createLiveValue<OutboxCounts>({ waiting: 0, failed: 0 })
  let ofMessages = { waiting: 0, failed: 0 }
  /** Have messages changed since the last counting began? */
  let isOutdated = false

  function publish() {
    const entries = requests.entries.getSnapshot()
    const refused = entries.filter(({ state }) => state === 'refused').length
    const next = {
      waiting: ofMessages.waiting + entries.length - refused,
      failed: ofMessages.failed + refused,
    }
    const before = counts.getSnapshot()
    if (next.waiting !== before.waiting || next.failed !== before.failed) counts.set(next)
  }

  const isAnyCounted = () => ofMessages.waiting + ofMessages.failed > 0

  const refresher = createRefresher({
    onError,
    gatherMs: 15,
    async run() {
      isOutdated = false
      const [pending = 0, failed = 0, refused = 0] = await Promise.all(
        tallies.map((tally) =>
          countDocuments(messages, { selector: { tally }, index: ['tally', 'recency'] }),
        ),
      )
      const hidden = [
        ...(await readDocuments(messages, [...withheld.getSnapshot().deleted.keys()])).values(),
      ]
      const isWaiting = ({ tally }: { tally: string }) => tally === pendingTally
      const isFailed = ({ tally }: { tally: string }) =>
        tally === failedTally || tally === refusedTally
      ofMessages = {
        waiting: pending - hidden.filter(isWaiting).length,
        failed: failed + refused - hidden.filter(isFailed).length,
      }
      publish()
      // One that left while it was being counted.
      if (isOutdated && isAnyCounted()) void refresher.refresh()
    },
  })
  const unsubscribes = [
    // A message that leaves one of these counts has none of their tallies any more.
    subscribeToChanges(messages, ({ documents }) => {
      isOutdated = true
      if (isAnyCounted() || documents.some(({ tally }) => isOutboxTally(tally)))
        void refresher.refresh()
    }),
    withheld.subscribe(() => void refresher.refresh()),
    requests.entries.subscribe(publish),
  ]
  publish()
  void refresher.refresh()
  return {
    counts,
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
      refresher.close()
    },
  }
}

function isOutboxTally(tally: string): boolean {
  return tallies.some((each) => each === tally)
}
