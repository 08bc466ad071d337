import { useEffect, useState } from 'react'
import type { Messenger } from '../sync/messenger.ts'
import { useLivePart } from '../ui/use-live-value.ts'
import { describeWindow, type WindowState } from './describe-window.ts'

/** How long a customer can be written to freely, counted down on the device; undefined until that is read. */
export function useWindow(messenger: Messenger, peerId: string): WindowState | undefined {
  // The row is another one as soon as anything was said.
  const row = useLivePart(messenger.conversations, (rows) =>
    rows.find((one) => one.peerId === peerId),
  )
  const [state, setState] = useState<WindowState>()
  useEffect(() => {
    // A message may have come in or gone since the last reading.
    if (row && row.peerId !== peerId) return
    const watch: { isOver: boolean; timer?: ReturnType<typeof setTimeout> } = { isOver: false }
    const count = (lastInboundAt: number | undefined) => {
      const now = messenger.now()
      const next = describeWindow({ lastInboundAt, now })
      setState((before) => (before?.words === next.words ? before : next))
      // A timer may come early, or late from a sleep: each arms the next one.
      if ('changesAt' in next) {
        watch.timer = setTimeout(() => count(lastInboundAt), next.changesAt - now)
      }
    }
    messenger.findLastInboundAt(peerId).then(
      (lastInboundAt) => {
        if (!watch.isOver) count(lastInboundAt)
      },
      // What cannot be read now is read with the next message; nothing depends on the words.
      () => {},
    )
    return () => {
      watch.isOver = true
      clearTimeout(watch.timer)
    }
  }, [messenger, peerId, row])
  return state
}
