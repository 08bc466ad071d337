import { useEffect, useReducer } from 'react'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'

/**
 * The current versions of messages: a component that holds them, during selection, reply or in a
 * dialog, holds old versions.
 * @param kept the same array until the selection changes
 */
export function useLiveMessages(
  { messages: { get } }: Messenger,
  kept: readonly MessageDocument[],
): MessageDocument[] {
  const [, draw] = useReducer((count: number) => count + 1, 0)
  const read = (message: MessageDocument) => get(message._id).getSnapshot() ?? message
  const current = kept.map(read)
  const latest = useLatest({ current, read })
  useEffect(() => {
    const stops = kept.map((message) => get(message._id).subscribe(draw))
    // What changed after the drawing and before this is told to nobody else.
    const { current, read } = latest.current
    if (kept.some((message, at) => read(message) !== current[at])) draw()
    return () => {
      for (const stop of stops) stop()
    }
  }, [get, kept, latest])
  return current
}

/**
 * The current version of a message: a component that holds one, during a reply or in a dialog,
 * holds an old version.
 */
export function useLiveMessage(messenger: Messenger, kept: MessageDocument): MessageDocument {
  return useLiveValue(messenger.messages.get(kept._id)) ?? kept
}
