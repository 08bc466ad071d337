import { useEffect, useRef, useState } from 'react'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { messageKinds } from '../loading/message-kinds.ts'
import { useSifted } from '../loading/use-sifted.ts'
import { describePosition } from './describe-position.ts'

/** Loads this many neighbours on either side, and more when `aheadCount` or fewer remain. */
const enough = 40
const aheadCount = 5

type Direction = 'older' | 'newer'
const offsets = { older: -1, newer: 1 }

/** The shown picture of a chat, and the steps to its neighbours. */
export function useGalleryPlace({
  messenger,
  peerId,
  start,
  onEmpty,
}: {
  messenger: Messenger
  peerId: string
  start: MessageDocument
  /** Called when the last picture is gone. */
  onEmpty(): void
}) {
  const [aroundId] = useState(start._id)
  // A sticker counts as no picture, but stands among them once it was opened.
  const [isWanted] = useState(
    () => (message: MessageDocument) => message._id === aroundId || messageKinds.media(message),
  )
  const sifting = { peerId, isWanted, aroundId, enough }
  const { view, window } = useSifted(messenger, sifting)
  const [shownId, setShownId] = useState(start._id)
  const lastIndex = useRef(0)
  // Shows the picture alone until its neighbours load.
  const items = window && (window.items.length > 0 || !window.isReading) ? window.items : [start]
  const found = items.findIndex(({ _id }) => _id === shownId)
  // If the shown picture is deleted, the next one replaces it.
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

  const neighbour = (direction: Direction) => items[index + offsets[direction]]
  const areKnown = window !== undefined && items === window.items
  /** Is there a neighbour, loaded yet or not? */
  const mayHave = (direction: Direction) =>
    neighbour(direction) !== undefined ||
    !areKnown ||
    (direction === 'older' ? window.hasOlder : window.hasNewer)
  /** Steps requested before the neighbour was loaded; negative for older ones. */
  const owed = useRef(0)
  useEffect(() => {
    const direction = owed.current < 0 ? 'older' : 'newer'
    if (owed.current === 0) return
    const next = neighbour(direction)
    if (next) {
      owed.current -= offsets[direction]
      setShownId(next._id)
    } else if (!mayHave(direction)) owed.current = 0
  })

  return {
    shown: shown ?? start,
    /** Empty until the neighbours are loaded. */
    position: areKnown ? describePosition(index, window) : '',
    neighbours: [neighbour('older'), neighbour('newer')].flatMap((each) => each ?? []),
    has: (direction: Direction) => neighbour(direction) !== undefined,
    /** A step to an unloaded neighbour happens once it loads. */
    step(direction: Direction) {
      const next = neighbour(direction)
      if (next && owed.current === 0) setShownId(next._id)
      else if (mayHave(direction)) owed.current += offsets[direction]
    },
  }
}
