import { useEffect, useReducer } from 'react'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'

/**
 * The messages as they are now. Whoever keeps one, while it is selected, answered or explained, keeps what it was.
 * @param kept the same array until others are meant
 */
export function useLiveMessages(
  { messages: { get } }: Messenger,
  kept: readonly MessageDocument[],
): MessageDocument[] {
  const [, draw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const stops = kept.map((message) => get(message._id).subscribe(draw))
    return () => {
      for (const stop of stops) stop()
    }
  }, [get, kept])
  return kept.map((message) => get(message._id).getSnapshot() ?? message)
}
