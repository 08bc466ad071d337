import { Content, Portal, Root, Title } from 'radix-ui/dialog'
import {
  type CSSProperties,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { formatClockTime } from '../../ui/format/format-clock-time.ts'
import { formatDay } from '../../ui/format/format-day.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { useToday } from '../../ui/hooks/use-today.ts'
import { findFocusPath, focusFirst } from '../../ui/layers/find-focus-path.ts'
import { useBackLayer } from '../../ui/layers/use-back-layer.ts'
import { Notice } from '../../ui/layout/notice.tsx'
import { useNotice } from '../../ui/layout/use-notice.ts'
import { VisuallyHidden } from '../../ui/layout/visually-hidden.tsx'
import { readFileFacts } from '../files/read-file-facts.ts'
import { saveFile } from '../files/save-file.ts'
import { VideoFile } from '../files/video-file.tsx'
import { useFile } from '../loading/use-file.ts'
import styles from './gallery.module.css'
import { GalleryPicture, type GalleryPictureHandle } from './gallery-picture.tsx'
import { useGalleryPlace } from './use-gallery-place.ts'

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
  onClose(): void
}

/** A chat's pictures and videos, full screen, one at a time, older ones to the left. */
export function Gallery({ messenger, peerId, message, onGoToMessage, onClose }: GalleryProps) {
  const place = useGalleryPlace({ messenger, peerId, start: message, onEmpty: onClose })
  const { shown } = place
  const { name } = readFileFacts(shown)
  const peer = useLiveValue(messenger.users.get(peerId))
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
  const author = shown.senderId === messenger.userId ? 'You' : (peer?.username ?? 'Unknown')
  const written = `${formatDay(shown.createdAt, today)}, ${formatClockTime(shown.createdAt)}`

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
    <Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Portal>
        <Content
          className={styles.gallery}
          aria-describedby={undefined}
          onKeyDown={onKeyDown}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            focusFirst(returnTo)
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
            <IconButton
              icon="chats"
              label="Go to message"
              onClick={() => onGoToMessage(shown._id)}
            />
            <IconButton icon="download" label="Download" onClick={() => void download()} />
            <IconButton icon="close" label="Close" onClick={onClose} />
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
