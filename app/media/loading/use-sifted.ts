import { useEffect, useState } from 'react'
import type { SiftedWindow, SiftOptions } from '../../database/views/sifted-window.ts'
import type { Messenger, SiftedView } from '../../sync/messenger-types.ts'
import { type LiveSource, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { logProblem } from '../../ui/product.ts'

const nothing: LiveSource<SiftedWindow | undefined> = {
  getSnapshot: () => undefined,
  subscribe: () => () => {},
}

/** The wanted messages of a conversation; released on unmount. Undefined at first. */
export function useSifted(
  messenger: Pick<Messenger, 'sift'>,
  { peerId, isWanted, aroundId, enough }: SiftOptions & { peerId: string },
) {
  const [view, setView] = useState<SiftedView>()
  useEffect(() => {
    const held: { view?: SiftedView; isOver?: true } = {}
    messenger
      .sift(peerId, { isWanted, enough, ...(aroundId !== undefined && { aroundId }) })
      .then((opened) => {
        if (held.isOver) return opened.close()
        held.view = opened
        setView(opened)
      })
      .catch((cause: unknown) => logProblem('Looking through a chat', cause))
    return () => {
      held.isOver = true
      held.view?.close()
      setView(undefined)
    }
  }, [messenger, peerId, isWanted, aroundId, enough])
  return { view, window: useLiveValue(view?.found ?? nothing) }
}
