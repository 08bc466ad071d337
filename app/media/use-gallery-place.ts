import { useEffect, useRef, useState } from 'react'
import type { MessageDocument } from '../../schema/message.ts'
import type { Messenger } from '../sync/messenger.ts'
import { useLatest } from '../ui/use-latest.ts'
import { describePosition } from './describe-position.ts'
import { messageKinds } from './message-kinds.ts'
import { useSifted } from './use-sifted.ts'

/** So many are known on either side, where there are so many; more of them are looked for this close to an end. */
const enough = 40
const aheadCount = 5

/** Which of a chat's pictures is shown, and the way to its neighbours. */
export function useGalleryPlace({
  messenger,
  peerId,
  start,
  onEmpty,
}: {
  messenger: Messenger
  peerId: string
  start: MessageDocument
  /** Called when the last of them is gone. */
  onEmpty(): void
}) {
  const [aroundId] = useState(start._id)
  const sifting = { peerId, isWanted: messageKinds.media, aroundId, enough }
  const { view, window } = useSifted(messenger, sifting)
  const [shownId, setShownId] = useState(start._id)
  const lastIndex = useRef(0)
  // Until its neighbours are read it stands alone.
  const items = window && (window.items.length > 0 || !window.isReading) ? window.items : [start]
  const found = items.findIndex(({ _id }) => _id === shownId)
  // What is deleted while it is shown gives its place to the next one.
  const index = found === -1 ? Math.min(lastIndex.current, items.length - 1) : found
  const shown = items[index]
  const currentId = shown?._id
  useEffect(() => {
    if (index >= 0) lastIndex.current = index
  }, [index])
  const latestEmpty = useLatest(onEmpty)
  const isEmpty = items.length === 0
  useEffect(() => {
    if (isEmpty) latestEmpty.current()
  }, [isEmpty, latestEmpty])

  const needsOlder = Boolean(window?.hasOlder) && index < aheadCount
  const needsNewer = Boolean(window?.hasNewer) && items.length - 1 - index < aheadCount
  useEffect(() => {
    if (needsOlder && currentId) void view?.loadOlder()
    if (needsNewer && currentId) void view?.loadNewer()
  }, [view, currentId, needsOlder, needsNewer])

  const neighbour = (direction: 'older' | 'newer') =>
    items[index + (direction === 'older' ? -1 : 1)]
  return {
    shown: shown ?? start,
    /** Empty until the neighbours are known. */
    position: window && items === window.items ? describePosition(index, window) : '',
    has: (direction: 'older' | 'newer') => neighbour(direction) !== undefined,
    step(direction: 'older' | 'newer') {
      const next = neighbour(direction)
      if (next) setShownId(next._id)
    },
  }
}
