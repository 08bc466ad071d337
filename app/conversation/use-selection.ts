import { useEffect, useState } from 'react'
import type { MessageDocument } from '../../schema/message.ts'

export interface Selection {
  /** By message id, in the order of selecting. */
  selected: ReadonlyMap<string, MessageDocument>
  isSelecting: boolean
  toggle(message: MessageDocument): void
  select(messages: readonly MessageDocument[]): void
  clear(): void
}

const nothing: ReadonlyMap<string, MessageDocument> = new Map()

/** Selection mode: on with the first message, off with the last one or with Escape. */
export function useSelection(): Selection {
  const [selected, setSelected] = useState(nothing)
  const isSelecting = selected.size > 0
  useEffect(() => {
    if (!isSelecting) return
    const onKeyDown = (event: KeyboardEvent) => event.key === 'Escape' && setSelected(nothing)
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isSelecting])
  return {
    selected,
    isSelecting,
    toggle: (message) =>
      setSelected((now) => {
        const next = new Map(now)
        if (!next.delete(message._id)) next.set(message._id, message)
        return next
      }),
    select: (messages) => setSelected(new Map(messages.map((message) => [message._id, message]))),
    clear: () => setSelected(nothing),
  }
}
