import { useMemo, useState } from 'react'
import { isDiscarded, type MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useEscape } from '../../ui/layers/use-escape.ts'
import { useLiveMessages } from './use-live-messages.ts'

export interface Selection {
  /** As they are now, in the order of selecting. */
  messages: readonly MessageDocument[]
  isSelecting: boolean
  has(messageId: string): boolean
  toggle(message: MessageDocument): void
  select(messages: readonly MessageDocument[]): void
  clear(): void
}

const nothing: ReadonlyMap<string, MessageDocument> = new Map()

/** Selection mode: on with the first message, off with the last one or with Escape. */
export function useSelection(messenger: Messenger): Selection {
  const [selected, setSelected] = useState(nothing)
  const kept = useMemo(() => [...selected.values()], [selected])
  const live = useLiveMessages(messenger, kept)
  // What was taken back meanwhile is shown nowhere, and cannot be selected.
  const messages = live.filter((message) => !isDiscarded(message))
  const isSelecting = messages.length > 0
  const clear = () => setSelected(nothing)
  useEscape(isSelecting, clear)
  return {
    messages,
    isSelecting,
    has: (messageId) => selected.has(messageId),
    toggle: (message) =>
      setSelected((now) => {
        const next = new Map(now)
        if (!next.delete(message._id)) next.set(message._id, message)
        return next
      }),
    select: (chosen) => setSelected(new Map(chosen.map((message) => [message._id, message]))),
    clear,
  }
}
