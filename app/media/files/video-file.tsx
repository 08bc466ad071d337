import { type CSSProperties, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from '../../ui/icons/icon.tsx'
import { useShownFile } from '../loading/use-shown-file.ts'
import { PictureLayers } from '../pictures/picture-layers.tsx'
import { PlayMark } from '../pictures/play-mark.tsx'
import { describeWish } from './describe-wish.ts'
import { DocumentFile } from './document-file.tsx'
import styles from './message-file.module.css'
import type { MessageFileProps } from './message-file-props.ts'
import { readFileFacts } from './read-file-facts.ts'

interface VideoFileProps extends MessageFileProps {
  /** The class of its reserved space, which stays the same when the video loads. */
  className: string | undefined
  style: CSSProperties
  /**
   * Is it the only thing shown? Then it plays as soon as it loads for the person who asked for it.
   */
  isAlone?: boolean
}

/**
 * A video: the blur of its first frame until it is loaded, by default on request, then the browser's own
 * player.
 */
export function VideoFile({ className, style, isAlone = false, ...props }: VideoFileProps) {
  const { messenger, message } = props
  const { view, load, url, isBroken, onError } = useShownFile({
    messenger,
    message,
    isAutomatic: true,
    setting: 'loadVideos',
  })
  const [isAsked, setIsAsked] = useState(false)
  const player = useRef<HTMLVideoElement>(null)
  const { name, size } = readFileFacts(message)
  // The pressed button is gone: after a key press the focus moves to the player.
  useLayoutEffect(() => {
    const isNowhere = document.activeElement === document.body
    if (isAsked && url !== undefined && isNowhere) player.current?.focus()
  }, [isAsked, url])
  // A file that this browser cannot play can still be saved.
  if (isBroken) return <DocumentFile {...props} />
  const words = describeWish(view, size)

  function ask() {
    setIsAsked(true)
    void load()
  }

  const shared = { src: url, controls: true, playsInline: true, 'aria-label': name, onError }
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
          <span className={styles.pill}>
            <Icon name="download" size={18} />
            {words}
          </span>
        </button>
      ) : (
        <video
          ref={player}
          className={styles.player}
          autoPlay={isAlone && isAsked}
          preload="metadata"
          {...shared}
        />
      )}
    </div>
  )
}
