import { type CSSProperties, type Ref, useImperativeHandle, useRef, useState } from 'react'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { formatBytes } from '../../ui/format/format-bytes.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { readFileFacts } from '../files/read-file-facts.ts'
import { useShownFile } from '../loading/use-shown-file.ts'
import { PictureLayers } from '../pictures/picture-layers.tsx'
import styles from './gallery.module.css'
import { usePictureZoom } from './use-picture-zoom.ts'
import { largest } from './zoom.ts'

export interface GalleryPictureHandle {
  /** False for a key that the picture does not use. */
  takeKey(key: string): boolean
}

interface GalleryPictureProps {
  messenger: Messenger
  message: MessageDocument
  /** Its bytes, if prefetched. */
  known: Blob | undefined
  onStep(direction: 'older' | 'newer'): void
  ref: Ref<GalleryPictureHandle>
}

/** One picture in the gallery: its blur until it loads, then the picture, with zoom and pan. */
export function GalleryPicture({ messenger, message, known, onStep, ref }: GalleryPictureProps) {
  const { view, load, url, isBroken, onError } = useShownFile({
    messenger,
    message,
    isAutomatic: true,
    known,
  })
  const [drawn, setDrawn] = useState<{ width: number; height: number }>()
  const stage = useRef<HTMLDivElement>(null)
  const picture = useRef<HTMLDivElement>(null)
  const { zoom, pull, zoomIn, zoomOut, takeKey, pointers } = usePictureZoom({
    stage,
    picture,
    onStep,
  })
  useImperativeHandle(ref, () => ({ takeKey }))
  const { name, size } = readFileFacts(message)
  const { width = drawn?.width ?? 4, height = drawn?.height ?? 3 } = message.file ?? {}
  const place = `translate(${zoom.x + pull}px, ${zoom.y}px) scale(${zoom.scale})`
  return (
    <>
      <div ref={stage} className={styles.stage} data-zoomed={zoom.scale > 1} {...pointers}>
        <div
          ref={picture}
          className={styles.picture}
          style={
            {
              '--ratio': width / height,
              '--width': `${drawn?.width ?? width}px`,
              transform: place,
            } as CSSProperties
          }
        >
          <PictureLayers
            blur={drawn ? undefined : message.file?.preview}
            url={url}
            alt={message.content || name}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              setDrawn({ width: naturalWidth, height: naturalHeight })
            }
            onError={onError}
          />
        </div>
      </div>
      {view.kind === 'away' && (
        <button type="button" className={styles.wish} onClick={() => void load()}>
          <Icon name="download" size={18} />
          {view.problem ?? (size === undefined ? 'Load picture' : `Load ${formatBytes(size)}`)}
        </button>
      )}
      {view.kind === 'loading' && <p className={styles.wish}>Loading…</p>}
      {isBroken && <p className={styles.wish}>This picture can't be shown.</p>}
      {url !== undefined && (
        <div className={styles.zoom}>
          <IconButton
            icon="zoomOut"
            label="Zoom out"
            aria-disabled={zoom.scale === 1}
            onClick={zoomOut}
          />
          <IconButton
            icon="zoomIn"
            label="Zoom in"
            aria-disabled={zoom.scale === largest}
            onClick={zoomIn}
          />
        </div>
      )}
    </>
  )
}
