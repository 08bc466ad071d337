import type { ReactEventHandler } from 'react'
import { Icon } from '../../ui/icons/icon.tsx'
import styles from './picture-layers.module.css'
import playMarkStyles from './play-mark.module.css'

interface PictureLayersProps {
  /** The preview from the message. */
  blur: string | undefined
  /** Undefined until loaded. */
  url?: string | undefined
  alt?: string
  onLoad?: ReactEventHandler<HTMLImageElement>
  onError?: () => void
}

/** A picture that fills its container: its blur, then the picture over it. */
export function PictureLayers({ blur, url, alt = '', onLoad, onError }: PictureLayersProps) {
  return (
    <>
      {blur && <img className={styles.blur} src={blur} alt="" aria-hidden="true" />}
      {url !== undefined && (
        <img
          className={styles.sharp}
          src={url}
          alt={alt}
          draggable={false}
          onLoad={onLoad}
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
