import { useMemo, useState } from 'react'
import { isDiscarded, type MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useEscape } from '../../ui/layers/use-escape.ts'
import { useLiveMessages } from './use-live-messages.ts'

export interface Selection {
  /** Their current versions, in the order of selection. */
  messages: readonly MessageDocument[]
  isSelecting: boolean
  has(messageId: string): boolean
  toggle(message: MessageDocument): void
  select(messages: readonly MessageDocument[]): void
  clear(): void
}

const nothing: ReadonlyMap<string, MessageDocument> = new Map()

/**
 * Selection mode: starts with the first selected message, ends with the last one or with Escape.
 */
export function useSelection(messenger: Messenger): Selection {
  const [selected, setSelected] = useState(nothing)
  const kept = useMemo(() => [...selected.values()], [selected])
  const live = useLiveMessages(messenger, kept)
  // A message discarded or hidden meanwhile is no longer visible, and cannot be selected.
  const messages = live.filter((message) => !isDiscarded(message) && !message.isHidden)
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
