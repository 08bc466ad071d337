import * as z from 'zod/mini'
import { createLiveValue, type SettableLiveValue } from '../../database/views/live-value.ts'
import type { UploadState } from './uploads.ts'

type States = ReadonlyMap<string, UploadState>

/** A tab's message to the others. */
const frame = z.union([
  z.object({ kind: z.literal('ask') }),
  z.object({
    kind: z.literal('told'),
    states: z.array(
      z.tuple([
        z.string(),
        z.union([
          z.object({ kind: z.literal('waiting'), words: z.optional(z.string()) }),
          z.object({ kind: z.literal('uploading'), share: z.optional(z.number()) }),
        ]),
      ]),
    ),
  }),
])

/**
 * Upload states, shared by all tabs of a device: the uploading tab sets them, the others listen.
 * Without a channel between tabs each knows only its own.
 */
export function createTabStates(name: string): SettableLiveValue<States> & {
  /** This tab stops uploading. */
  leave(): void
  close(): void
} {
  const states = createLiveValue<States>(new Map())
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(name)
  let isOurs = false
  let isClosed = false

  function say(given: z.infer<typeof frame>) {
    if (!isClosed) channel?.postMessage(given)
  }

  function tell() {
    say({ kind: 'told', states: [...states.getSnapshot()] })
  }

  channel?.addEventListener('message', ({ data }) => {
    const heard = frame.safeParse(data)
    if (!heard.success) return
    if (heard.data.kind === 'told') {
      isOurs = false
      states.set(new Map(heard.data.states as [string, UploadState][]))
    } else if (isOurs) tell()
  })
  say({ kind: 'ask' })

  return {
    ...states,
    set(next) {
      isOurs = true
      states.set(next)
      tell()
    },
    leave() {
      // Another tab may have taken over and reported more since.
      if (!isOurs) return
      isOurs = false
      states.set(new Map())
      tell()
    },
    close() {
      isClosed = true
      channel?.close()
    },
  }
}
