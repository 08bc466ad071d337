import { type CSSProperties, useLayoutEffect, useRef, useState } from 'react'
import { Icon } from '../../ui/icons/icon.tsx'
import { useShownFile } from '../loading/use-shown-file.ts'
import { PictureLayers } from '../pictures/picture-layers.tsx'
import { PlayMark } from '../pictures/play-mark.tsx'
import { describeWish } from './describe-wish.ts'
import { DocumentFile } from './document-file.tsx'
import styles from './message-file.module.css'
import type { MessageFileProps } from './message-file.tsx'
import { readFileFacts } from './read-file-facts.ts'

interface VideoFileProps extends MessageFileProps {
  /** Of its place, which does not change when the video comes. */
  className: string | undefined
  style: CSSProperties
  /** Is it all there is to see? Then it plays as soon as it is here for whoever has asked for it. */
  isAlone?: boolean
}

/** A video: the blur of its first frame until it is asked for and here, then the browser's own player. */
export function VideoFile({ className, style, isAlone = false, ...props }: VideoFileProps) {
  const { messenger, message } = props
  const { view, load, url, isBroken, onError } = useShownFile({
    messenger,
    message,
    isAutomatic: false,
  })
  const [isAsked, setIsAsked] = useState(false)
  const player = useRef<HTMLVideoElement>(null)
  const { name, size } = readFileFacts(message)
  // The button that was pressed has gone: whoever has pressed it by a key goes on at the player.
  useLayoutEffect(() => {
    const isNowhere = document.activeElement === document.body
    if (isAsked && url !== undefined && isNowhere) player.current?.focus()
  }, [isAsked, url])
  // What this browser can't play can still be saved.
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
          // Not `disabled`, which would take the focus from whoever has pressed it.
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
