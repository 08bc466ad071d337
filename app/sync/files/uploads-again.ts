import type { CommandContext } from '../../database/storage/command-context.ts'
import { subscribeToTable } from '../../database/storage/open-device-store.ts'
import { createBackOff } from '../platform/back-off.ts'
import type { Platform } from '../platform/platform.ts'
import type { RequestCalls } from '../requests/request-calls.ts'
import { findUnseenEpoch } from './files-epoch.ts'
import type { PendingFiles } from './pending-files.ts'

/**
 * Uploads again, unprompted, files that the server lost and this device still holds. Stored data
 * says what is owed (P11): the epoch of the last comparison, and messages refused for their files.
 */
export function createUploadsAgain(options: {
  context: CommandContext
  calls: Pick<RequestCalls, 'messages'>
  pending: PendingFiles
  platform: Pick<Platform, 'page' | 'random'>
  onError: (cause: unknown) => void
}) {
  const { context, calls, pending, platform, onError } = options
  const { device } = context.database
  const backOff = createBackOff({ random: platform.random })

  const looking = new Set<string>()

  /** Until that is over, later messages wait. */
  async function sendLost() {
    const lost = pending.listLost().map(({ _id }) => _id)
    const ids = lost.filter((id) => !looking.has(id))
    if (ids.length === 0) return
    for (const id of ids) looking.add(id)
    const sending = import('./send-lost-again.ts').then((again) =>
      again.sendLostAgain(context, ids),
    )
    await sending.finally(() => pending.recordLookedAt(ids))
  }

  return {
    /** An external sign of life: retries immediately. */
    hurry: () => backOff.hurry(),
    /** This tab begins to lead; the returned function ends it. */
    begin(): () => Promise<void> {
      const closing = new AbortController()
      const { signal } = closing
      const fail = (cause: unknown) => {
        if (!signal.aborted) onError(cause)
      }
      let puttingBack: Promise<void> | undefined
      async function putBack() {
        const { putBackFiles } = await import('./put-back-files.ts')
        if (!signal.aborted) await putBackFiles({ context, calls, backOff, signal, onError })
      }
      const stops = [
        subscribeToTable(device.epochs, {
          onRows(rows) {
            if (puttingBack || findUnseenEpoch(rows) === undefined) return
            puttingBack = putBack()
              .catch(fail)
              .finally(() => {
                puttingBack = undefined
              })
          },
          onError,
        }),
        pending.subscribe(() => void sendLost().catch(fail)),
        platform.page.subscribe((event) => {
          if (event === 'online' || event === 'front') backOff.hurry()
        }),
      ]
      pending.ready().then(sendLost).catch(fail)
      return async () => {
        for (const stop of stops) stop()
        closing.abort(new Error('Uploading has ended.'))
        await puttingBack
      }
    },
  }
}
