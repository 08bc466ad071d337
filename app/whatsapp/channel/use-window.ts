import { useEffect, useState } from 'react'
import type { Messenger } from '../../sync/messenger-types.ts'
import { describeWindow, type WindowState } from './describe-window.ts'

/**
 * How long the operator can still write freely to a customer, counted down on the device; undefined
 * until loaded.
 */
export function useWindow(messenger: Messenger, peerId: string): WindowState | undefined {
  const [state, setState] = useState<WindowState>()
  useEffect(() => {
    const { conversations, findLastInboundAt } = messenger
    const findRow = () => conversations.getSnapshot().find((row) => row.peerId === peerId)
    const watch: { row?: unknown; timer?: ReturnType<typeof setTimeout>; isOver?: boolean } = {}

    function count(lastInboundAt: number | undefined) {
      clearTimeout(watch.timer)
      const now = messenger.now()
      const next = describeWindow({ lastInboundAt, now })
      setState((before) => (before?.words === next.words ? before : next))
      // A timer may fire early, or late after sleep: each starts the next one.
      if ('changesAt' in next) {
        watch.timer = setTimeout(() => count(lastInboundAt), next.changesAt - now)
      }
    }

    function read() {
      watch.row = findRow()
      findLastInboundAt(peerId).then(
        (lastInboundAt) => {
          if (!watch.isOver) count(lastInboundAt)
        },
        // A failed read is retried with the next message; nothing else depends on the words.
        () => {},
      )
    }

    read()
    // The row changes with every message.
    const unsubscribe = conversations.subscribe(() => {
      if (findRow() !== watch.row) read()
    })
    return () => {
      watch.isOver = true
      clearTimeout(watch.timer)
      unsubscribe()
    }
  }, [messenger, peerId])
  return state
}
