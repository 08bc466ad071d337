import { type CSSProperties, useLayoutEffect, useRef, useState } from 'react'
import { formatDuration } from '../../ui/format/format-times.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import { useShownFile } from '../loading/use-file.ts'
import { PictureLayers, PlayMark } from '../pictures/picture-layers.tsx'
import { DocumentFile } from './document-file.tsx'
import { describeWish, type MessageFileProps, readFileFacts } from './file-facts.ts'
import styles from './message-file.module.css'

interface VideoFileProps extends MessageFileProps {
  /** The class of its reserved space, which stays the same when the video loads. */
  className: string | undefined
  style: CSSProperties
  /**
   * Is it the only thing shown? Then it plays as soon as it loads for the person who asked for it.
   */
  isAlone?: boolean
  /** Opens it over the screen, where it is too small to be played in its place. */
  onOpen?: (() => void) | undefined
}

/**
 * A video: the blur of its first frame until it is loaded, by default on request, then the browser's own
 * player.
 */
export function VideoFile({ className, style, isAlone = false, onOpen, ...props }: VideoFileProps) {
  const { messenger, message } = props
  const { view, load, url, isBroken, onError } = useShownFile({
    messenger,
    message,
    isAutomatic: true,
    setting: 'loadVideos',
  })
  const [isAsked, setIsAsked] = useState(false)
  /** Until it has begun, only its length and a mark lie on it, not the browser's controls. */
  const [hasBegun, setHasBegun] = useState(false)
  const [seconds, setSeconds] = useState(0)
  const player = useRef<HTMLVideoElement>(null)
  const { name, size } = readFileFacts(message)
  // The pressed button is gone: after a key press the focus moves to the player.
  useLayoutEffect(() => {
    const isNowhere = document.activeElement === document.body
    if ((isAsked || hasBegun) && url !== undefined && isNowhere) player.current?.focus()
  }, [isAsked, hasBegun, url])
  // A file that this browser cannot play can still be saved.
  if (isBroken) return <DocumentFile {...props} />
  const words = describeWish(view, size)
  const isProblem = view.kind === 'away' && view.problem !== undefined

  function ask() {
    setIsAsked(true)
    void load()
  }

  function play() {
    if (onOpen) return onOpen()
    setHasBegun(true)
    void player.current?.play().catch(() => {})
  }

  const isOpen = isAlone || isAsked || hasBegun
  const shared = { src: url, controls: isOpen, playsInline: true, 'aria-label': name, onError }
  return (
    <div className={className} style={style}>
      <PictureLayers blur={message.file?.preview} />
      {url === undefined ? (
        <button
          type="button"
          className={styles.load}
          aria-label={`Load video ${name}, ${words}`}
          // Not `disabled`, which would remove the focus from the pressed button.
          aria-disabled={view.kind === 'loading'}
          onClick={() => view.kind !== 'loading' && ask()}
        >
          {isAlone && <PlayMark />}
          {/* Until the device has been looked through, it may be here. */}
          {view.kind !== 'reading' && (
            <span className={joinClassNames(styles.pill, !isProblem && styles.line)}>
              <Icon name="download" size={18} />
              {words}
            </span>
          )}
        </button>
      ) : (
        <video
          ref={player}
          className={styles.player}
          autoPlay={isAsked}
          preload="metadata"
          onDurationChange={({ currentTarget: { duration } }) => setSeconds(duration)}
          data-player={isOpen ? '' : undefined}
          {...shared}
        />
      )}
      {url !== undefined && !isOpen && (
        <button
          type="button"
          className={styles.load}
          aria-label={`Play video ${name}`}
          onClick={play}
        >
          <PlayMark />
          {Number.isFinite(seconds) && seconds >= 0.5 && (
            <span className={styles.length}>
              <Icon name="video" size={14} />
              {formatDuration(seconds * 1_000)}
            </span>
          )}
        </button>
      )}
    </div>
  )
}
