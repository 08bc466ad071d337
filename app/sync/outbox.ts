import { isUploadOwed } from '../../schema/message.ts'
import type { CommandContext } from '../database/storage/command-context.ts'
import type { LiveValue } from '../database/views/live-value.ts'
import type { createFiles } from './files/files.ts'
import type { Leadership } from './leadership.ts'
import { createOutboxCounts } from './outbox/outbox-counts.ts'
import type { HiddenMessages, OutboxCounts, OutboxItem, OutboxView } from './outbox/outbox-types.ts'
import type { RequestQueue } from './requests/requests.ts'

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
    if (dueAt !== undefined) return Math.max(0, dueAt - performance.now())
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
