import * as z from 'zod/mini'
import { createLiveValue, type SettableLiveValue } from '../../database/views/live-value.ts'

/**
 * States by id, such as those of uploads, shared by all tabs of a device: the tab that does the work
 * sets them, the others listen. Without a channel between tabs each knows only its own.
 * @param options.state parses one state
 */
export function createTabStates<State>(options: {
  name: string
  state: z.ZodMiniType<State>
}): SettableLiveValue<ReadonlyMap<string, State>> & {
  /** This tab stops the work. */
  leave(): void
  close(): void
} {
  const frame = z.union([
    z.object({ kind: z.literal('ask') }),
    z.object({
      kind: z.literal('told'),
      states: z.array(z.tuple([z.string(), options.state])),
    }),
  ])
  const states = createLiveValue<ReadonlyMap<string, State>>(new Map())
  const channel =
    typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(options.name)
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
      states.set(new Map(heard.data.states))
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
