import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import { countDocuments, readDocuments } from '../../database/storage/read-documents.ts'
import { failedTally, pendingTally, refusedTally } from '../../database/storage/stored-message.ts'
import { subscribeToChanges } from '../../database/storage/subscribe-to-changes.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'
import { createRefresher } from '../../database/views/refresher.ts'
import type { Requests } from '../requests/requests.ts'
import type { HiddenMessages, OutboxCounts } from './outbox-types.ts'

const tallies = [pendingTally, failedTally, refusedTally] as const

/** Counts what waits and what was refused, from the index alone. */
export function createOutboxCounts(options: {
  database: Pick<PetrelDatabase, 'messages'>
  requests: Pick<Requests, 'entries'>
  withheld: LiveValue<HiddenMessages>
  onError: (cause: unknown) => void
}): { counts: LiveValue<OutboxCounts>; close(): void } {
  const { database, requests, withheld, onError } = options
  const { messages } = database
  const counts = createLiveValue<OutboxCounts>({ waiting: 0, failed: 0 })
  let ofMessages = { waiting: 0, failed: 0 }

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

  const refresher = createRefresher({
    onError,
    gatherMs: 15,
    async run() {
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
    },
  })
  const unsubscribes = [
    // A message that leaves one of these counts has none of their tallies any more.
    subscribeToChanges(messages, ({ documents }) => {
      const isCounted = ofMessages.waiting + ofMessages.failed > 0
      if (isCounted || documents.some(({ tally }) => isOutboxTally(tally))) void refresher.refresh()
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
