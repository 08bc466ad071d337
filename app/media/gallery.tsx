import { Content, Portal, Root, Title } from 'radix-ui/dialog'
import {
  type CSSProperties,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import { wordsOf } from '../../schema/helpers/text.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { canForward } from '../database/commands/change-message.ts'
import { nameOf } from '../database/storage/known-peer.ts'
import type { SiftedWindow } from '../database/views/sifted-window.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { formatClockTime, formatDay } from '../ui/format/format-times.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { useToday } from '../ui/hooks/use-today.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { findFocusPath, returnFocus } from '../ui/layers/find-focus-path.ts'
import { useBackLayer } from '../ui/layers/use-back-layer.ts'
import { Notice, useNotice } from '../ui/layout/notice.tsx'
import { VisuallyHidden } from '../ui/layout/page.tsx'
import { readFileFacts } from './files/file-facts.ts'
import { saveFile } from './files/save-file.ts'
import { VideoFile } from './files/video-file.tsx'
import styles from './gallery.module.css'
import { GalleryPicture, type GalleryPictureHandle } from './gallery-picture.tsx'
import { messageKinds } from './loading/message-kinds.ts'
import { useFile } from './loading/use-file.ts'
import { useSifted } from './loading/use-sifted.ts'

/** Loads this many neighbours on either side, and more when `aheadCount` or fewer remain. */
const enough = 40

const aheadCount = 5

const stripHalf = 12

const offsets = { older: -1, newer: 1 }

interface AheadPictureProps {
  messenger: Messenger
  message: MessageDocument
  /** @returns a function that releases the bytes */
  onReady(messageId: string, bytes: Blob): () => void
}

interface GalleryProps {
  messenger: Messenger
  peerId: string
  /** The message shown first. */
  message: MessageDocument
  onGoToMessage(messageId: string): void
  /** Absent where nothing can be answered. */
  onReply?: ((message: MessageDocument) => void) | undefined
  onForward?: ((message: MessageDocument) => void) | undefined
  onClose(): void
}

/** A chat's pictures and videos, full screen, one at a time, older ones to the left. */
export function Gallery(props: GalleryProps) {
  const { messenger, peerId, message, onGoToMessage, onReply, onForward, onClose } = props
  const place = useGalleryPlace({ messenger, peerId, start: message, onEmpty: onClose })
  const { shown } = place
  const { name } = readFileFacts(shown)
  const peer = useLiveValue(messenger.peers.get(peerId))
  const today = useToday()
  const picture = useRef<GalleryPictureHandle>(null)
  const [returnTo] = useState(findFocusPath)
  const { words, say } = useNotice()
  /** The bytes of the neighbours only. */
  const [ahead] = useState(() => new Map<string, Blob>())
  const keepAhead = useCallback(
    (messageId: string, bytes: Blob) => {
      ahead.set(messageId, bytes)
      return () => void ahead.delete(messageId)
    },
    [ahead],
  )
  useBackLayer(true, onClose)
  const sender = useLiveValue(messenger.users.get(shown.senderId))
  const theirName = nameOf(peer?.isGroup ? sender : peer)
  const author = shown.senderId === messenger.userId ? 'You' : theirName
  const written = `${formatDay(shown.createdAt, today)}, ${formatClockTime(shown.createdAt)}`

  function close() {
    picture.current?.fly()
    onClose()
  }

  function star() {
    messenger.commands
      .setStarred(shown._id, !shown.isStarred)
      .catch(() => say('Failed to star message. Please try again.'))
  }

  async function download() {
    try {
      saveFile(await messenger.files.load(shown), name)
    } catch (cause) {
      say(wordsOf(cause))
    }
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const isModified = event.ctrlKey || event.metaKey || event.altKey
    // A player uses these keys itself.
    if (isModified || (event.target instanceof Element && event.target.closest('video'))) return
    if (picture.current?.takeKey(event.key)) event.preventDefault()
    else if (event.key === 'ArrowLeft') place.step('older')
    else if (event.key === 'ArrowRight') place.step('newer')
  }

  return (
    <Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Portal>
        <Content
          className={styles.gallery}
          aria-describedby={undefined}
          onKeyDown={onKeyDown}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            returnFocus(returnTo)
          }}
        >
          <header className={styles.bar}>
            <div className={styles.facts}>
              <Title className={styles.name} dir="auto">
                {name}
              </Title>
              <p className={styles.about}>
                {author} · {written}
                {place.position && ` · ${place.position}`}
              </p>
            </div>
            {onReply && <IconButton icon="reply" label="Reply" onClick={() => onReply(shown)} />}
            {onForward && canForward(shown) && (
              <IconButton icon="forward" label="Forward" onClick={() => onForward(shown)} />
            )}
            <IconButton
              icon={shown.isStarred ? 'unstar' : 'star'}
              label={shown.isStarred ? 'Unstar' : 'Star'}
              onClick={star}
            />
            <IconButton
              icon="chats"
              label="Go to message"
              onClick={() => onGoToMessage(shown._id)}
            />
            <IconButton icon="download" label="Download" onClick={() => void download()} />
            <IconButton icon="close" label="Close" onClick={close} />
          </header>
          {shown.type === 'video' ? (
            <div key={shown._id} className={styles.player}>
              <VideoFile
                messenger={messenger}
                message={shown}
                className={styles.video}
                style={{ '--ratio': findRatio(shown) } as CSSProperties}
                isAlone
              />
            </div>
          ) : (
            <GalleryPicture
              key={shown._id}
              ref={picture}
              messenger={messenger}
              message={shown}
              known={ahead.get(shown._id)}
              onStep={place.step}
              onDismiss={close}
              isFirst={shown._id === message._id}
            />
          )}
          {place.neighbours.map((each) =>
            each.type === 'image' ? (
              <AheadPicture
                key={each._id}
                messenger={messenger}
                message={each}
                onReady={keepAhead}
              />
            ) : null,
          )}
          <Step direction="older" place={place} />
          <Step direction="newer" place={place} />
          {shown.content && <Caption text={shown.content} />}
          {place.strip.length > 1 && (
            <Filmstrip items={place.strip} shownId={shown._id} onShow={place.show} />
          )}
          <VisuallyHidden>
            <span role="status">
              {[place.position, name, author, written].filter(Boolean).join(', ')}
            </span>
          </VisuallyHidden>
          <Notice words={words} />
        </Content>
      </Portal>
    </Root>
  )
}

/** A video's ratio of width to height. */
function findRatio({ file }: MessageDocument): number {
  return file?.width && file.height ? file.width / file.height : 16 / 9
}

const steps = {
  older: { icon: 'left', label: 'Previous' },
  newer: { icon: 'right', label: 'Next' },
} as const

function Step({
  direction,
  place,
}: {
  direction: 'older' | 'newer'
  place: ReturnType<typeof useGalleryPlace>
}) {
  return (
    <IconButton
      {...steps[direction]}
      className={direction === 'older' ? styles.previous : styles.next}
      iconSize={28}
      // Not `disabled`, which would remove the focus from the button at the end.
      aria-disabled={!place.has(direction)}
      onClick={() => place.step(direction)}
    />
  )
}

interface FilmstripProps {
  items: readonly MessageDocument[]
  shownId: string
  onShow(messageId: string): void
}

/** Those around the shown one, blurred: they cost nothing to load. Arrow keys lead there as well. */
function Filmstrip({ items, shownId, onShow }: FilmstripProps) {
  const strip = useRef<HTMLFieldSetElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shown one is found in the page.
  useEffect(() => {
    const element = strip.current
    const face = element?.querySelector<HTMLElement>('[aria-pressed="true"]')
    if (!element || !face) return
    element.scrollLeft = face.offsetLeft - (element.clientWidth - face.offsetWidth) / 2
  }, [shownId, items])
  return (
    <fieldset ref={strip} className={styles.strip} aria-label="Pictures around it">
      {items.map((each) => (
        <button
          key={each._id}
          type="button"
          className={styles.face}
          style={each.file?.preview ? { backgroundImage: `url("${each.file.preview}")` } : {}}
          // The arrow keys reach them.
          tabIndex={-1}
          aria-pressed={each._id === shownId}
          aria-label={`Show ${readFileFacts(each).name}`}
          onClick={() => onShow(each._id)}
        >
          {each.type === 'video' && <Icon name="play" size={16} />}
        </button>
      ))}
    </fieldset>
  )
}

/** A caption of any length: scrolls if needed, also by keys. */
function Caption({ text }: { text: string }) {
  const caption = useRef<HTMLParagraphElement>(null)
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    const { scrollHeight, clientHeight } = caption.current ?? { scrollHeight: 0, clientHeight: 0 }
    setIsLong(text !== '' && scrollHeight > clientHeight)
  }, [text])
  return (
    <p ref={caption} className={styles.caption} dir="auto" tabIndex={isLong ? 0 : undefined}>
      {text}
    </p>
  )
}

/** A neighbour of the shown picture: prefetched if pictures load automatically, and not drawn. */
function AheadPicture({ messenger, message, onReady }: AheadPictureProps) {
  const { view } = useFile({ messenger, message, isAutomatic: true })
  const bytes = view.kind === 'here' ? view.bytes : undefined
  const { _id } = message
  useEffect(() => (bytes ? onReady(_id, bytes) : undefined), [_id, bytes, onReady])
  return null
}

type Direction = 'older' | 'newer'

/** The shown picture of a chat, and the steps to its neighbours. */
function useGalleryPlace({
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
    /** The shown one and those around it, oldest first. */
    strip: items.slice(Math.max(0, index - stripHalf), index + stripHalf + 1),
    show: setShownId,
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

type Known = Pick<SiftedWindow, 'items' | 'hasOlder' | 'hasNewer'>

/**
 * A picture's position: '3 of 12', from the oldest on, or the known part while the total is
 * unknown.
 */
export function describePosition(index: number, { items, hasOlder, hasNewer }: Known): string {
  const after = items.length - 1 - index
  if (!hasOlder && !hasNewer) return `${index + 1} of ${items.length}`
  return `${count(index, hasOlder)} older, ${count(after, hasNewer)} newer`
}

function count(known: number, hasMore: boolean): string {
  return hasMore ? `${known} or more` : `${known}`
}
