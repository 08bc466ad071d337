import { type ReactEventHandler, useState } from 'react'
import { Icon } from '../../ui/icons/icon.tsx'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import styles from './picture-layers.module.css'
import playMarkStyles from './play-mark.module.css'

interface PictureLayersProps {
  /** The preview from the message. */
  blur: string | undefined
  /** Undefined until loaded. */
  url?: string | undefined
  /** Has the browser decoded it? Then it is in the first frame, and its blur in none. */
  isReady?: boolean
  alt?: string
  onLoad?: ReactEventHandler<HTMLImageElement>
  onError?: () => void
}

/** A picture that fills its container: its blur, then the picture over it. */
export function PictureLayers(props: PictureLayersProps) {
  const { blur, url, isReady = false, alt = '', onLoad, onError } = props
  const [drawn, setDrawn] = useState(isReady ? url : undefined)
  const isCovered = url !== undefined && drawn === url
  return (
    <>
      {blur && (
        <img
          className={joinClassNames(styles.blur, isCovered && styles.covered)}
          src={blur}
          alt=""
          aria-hidden="true"
        />
      )}
      {url !== undefined && (
        <img
          className={styles.sharp}
          src={url}
          alt={alt}
          draggable={false}
          decoding={isReady ? 'sync' : 'auto'}
          onLoad={(event) => {
            setDrawn(url)
            onLoad?.(event)
          }}
          onError={onError}
        />
      )}
    </>
  )
}

/** Marks a picture as a video. */
export function PlayMark() {
  return (
    <span className={playMarkStyles.mark}>
      <Icon name="play" size={24} />
    </span>
  )
}
