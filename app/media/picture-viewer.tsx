import { Content, Portal, Root, Title } from 'radix-ui/dialog'
import { useState } from 'react'
import { findFocusPath, focusFirst } from '../ui/find-focus-path.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { useBackLayer } from '../ui/use-back-layer.ts'
import styles from './picture-viewer.module.css'
import { saveFile } from './save-file.ts'
import { useObjectUrl } from './use-object-url.ts'

interface PictureViewerProps {
  bytes: Blob
  name: string
  onClose(): void
}

/** A picture over the whole screen: as large as it fits, or at its own size after a press. Escape closes it. */
export function PictureViewer({ bytes, name, onClose }: PictureViewerProps) {
  const url = useObjectUrl(bytes)
  const [returnTo] = useState(findFocusPath)
  const [isLarge, setIsLarge] = useState(false)
  useBackLayer(true, onClose)
  return (
    <Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Portal>
        <Content
          className={styles.viewer}
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            focusFirst(returnTo)
          }}
        >
          <header className={styles.bar}>
            <Title className={styles.name} dir="auto">
              {name}
            </Title>
            <IconButton icon="download" label="Download" onClick={() => saveFile(bytes, name)} />
            <IconButton icon="close" label="Close" onClick={onClose} />
          </header>
          <div className={styles.stage} data-large={isLarge}>
            <button
              type="button"
              className={styles.picture}
              aria-label={isLarge ? 'Fit to screen' : 'Actual size'}
              onClick={() => setIsLarge(!isLarge)}
            >
              {url && <img src={url} alt={name} draggable={false} />}
            </button>
          </div>
        </Content>
      </Portal>
    </Root>
  )
}
