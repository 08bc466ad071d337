import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import type { Messenger } from '../sync/messenger-types.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { LazyActionMenu } from '../ui/menus/lazy-action-menu.tsx'
import type { MenuAction, MenuPoint } from '../ui/menus/menu-action.ts'
import styles from './file-tool.module.css'

const SendFilesDialog = lazy(() =>
  import('./send-files-dialog.tsx').then((module) => ({ default: module.SendFilesDialog })),
)

interface FileToolProps {
  messenger: Messenger
  peerId: string
  field: RefObject<HTMLTextAreaElement | null>
  /** Absent during an edit. */
  sending: { replyTo: string | undefined; onSent(): void } | undefined
  /** Further actions of the attach menu. */
  moreActions: readonly MenuAction[]
  /** A picture that is to become a sticker, chosen in the tray. */
  forSticker?: { file: File; onClose(): void } | undefined
  /** Files that another app has shared into this chat. */
  shared?: SharedIntoChat | undefined
}

interface SharedIntoChat {
  files: readonly File[]
  text: string
  onFileSent(file: File): Promise<void>
  onAllSent(): void
  /** Called when the person has sent or dismissed them. */
  onClose(): void
}

/** All ways to add a file to a chat: the attach menu, paste, and drag and drop. */
export function FileTool(props: FileToolProps) {
  const { messenger, peerId, field, sending, moreActions, shared } = props
  const input = useRef<HTMLInputElement>(null)
  const [files, setFiles] = useState<readonly File[]>([])
  /** A picture chosen as a document is sent unchanged. */
  const [isUntouched, setIsUntouched] = useState(false)
  const take = (given: readonly File[]) => {
    setIsUntouched(false)
    setFiles(given)
  }
  const dropPlace = useGivenFiles(field, sending ? take : undefined)

  function choose(wanted: { accept: string; isCamera?: boolean; isUntouched?: boolean }) {
    const { accept, isCamera = false } = wanted
    const element = input.current
    if (!element) return
    setIsUntouched(wanted.isUntouched ?? false)
    element.accept = accept
    element.multiple = !isCamera
    if (isCamera) element.setAttribute('capture', 'environment')
    else element.removeAttribute('capture')
    element.click()
  }

  const findPlace = () => field.current?.closest('section') ?? undefined

  const actions: readonly MenuAction[] = [
    { label: 'Document', icon: 'file', onSelect: () => choose({ accept: '', isUntouched: true }) },
    {
      label: 'Photos & Videos',
      icon: 'picture',
      onSelect: () => choose({ accept: 'image/*,video/*' }),
    },
    {
      label: 'Camera',
      icon: 'camera',
      onSelect: () => choose({ accept: 'image/*', isCamera: true }),
    },
  ]
  return (
    <>
      <AttachButton actions={sending ? [...actions, ...moreActions] : moreActions} />
      <input
        ref={input}
        type="file"
        hidden
        onChange={({ currentTarget }) => {
          setFiles([...(currentTarget.files ?? [])])
          // The same file chosen again is a change, too.
          currentTarget.value = ''
        }}
      />
      {dropPlace &&
        createPortal(
          <div className={styles.drop}>
            <p className={styles.dropWords}>
              <Icon name="attach" size={28} />
              Drop files here to send them
            </p>
          </div>,
          dropPlace,
        )}
      {files.length === 0 && props.forSticker && sending && (
        <Suspense fallback={null}>
          <SendFilesDialog
            messenger={messenger}
            peerId={peerId}
            files={[props.forSticker.file]}
            isUntouched={false}
            isForSticker
            place={findPlace()}
            sending={sending}
            onClose={props.forSticker.onClose}
          />
        </Suspense>
      )}
      {files.length === 0 && shared && sending && (
        <Suspense fallback={null}>
          <SendFilesDialog
            messenger={messenger}
            peerId={peerId}
            files={shared.files}
            isUntouched={false}
            sending={{
              ...sending,
              onSent() {
                shared.onAllSent()
                sending.onSent()
              },
            }}
            place={findPlace()}
            initialCaption={shared.text}
            onFileSent={shared.onFileSent}
            onClose={shared.onClose}
          />
        </Suspense>
      )}
      {files.length > 0 && sending && (
        <Suspense fallback={null}>
          <SendFilesDialog
            messenger={messenger}
            peerId={peerId}
            files={files}
            isUntouched={isUntouched}
            place={findPlace()}
            sending={sending}
            onClose={() => setFiles([])}
          />
        </Suspense>
      )}
    </>
  )
}

/** The attach menu before the composer's field; hidden while empty. */
function AttachButton({ actions }: { actions: readonly MenuAction[] }) {
  const [menuPoint, setMenuPoint] = useState<MenuPoint>()
  if (actions.length === 0) return null
  return (
    <>
      <IconButton
        icon="attach"
        label="Attach"
        aria-haspopup="menu"
        aria-expanded={menuPoint !== undefined}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect()
          setMenuPoint({ x: box.left, y: box.top })
        }}
      />
      {menuPoint && (
        <LazyActionMenu
          label="Attach"
          isSheet
          point={menuPoint}
          actions={actions}
          onClose={() => setMenuPoint(undefined)}
        />
      )}
    </>
  )
}

/**
 * Handles files that the person pastes into a chat or drops on it.
 * @param onFiles undefined while nothing can be sent; a dropped file must still not replace the
 * page
 * @returns the chat element while files are dragged over it
 */
function useGivenFiles(
  field: RefObject<HTMLElement | null>,
  onFiles: ((files: readonly File[]) => void) | undefined,
): Element | undefined {
  const [place, setPlace] = useState<Element>()
  const latest = useLatest(onFiles)
  useEffect(() => {
    const chat = field.current?.closest('section') ?? undefined
    const added = new AbortController()
    const findPlace = ({ target }: Event) =>
      chat && latest.current && target instanceof Node && chat.contains(target) ? chat : undefined

    const listeners = {
      dragover(event: DragEvent) {
        if (!event.dataTransfer || !holdsFiles(event.dataTransfer)) return
        event.preventDefault()
        const now = findPlace(event)
        event.dataTransfer.dropEffect = now ? 'copy' : 'none'
        setPlace(now)
      },
      dragleave(event: DragEvent) {
        if (event.relatedTarget === null) setPlace(undefined)
      },
      drop(event: DragEvent) {
        if (!event.dataTransfer || !holdsFiles(event.dataTransfer)) return
        event.preventDefault()
        setPlace(undefined)
        if (findPlace(event)) give(event.dataTransfer)
      },
      paste(event: ClipboardEvent) {
        const data = event.clipboardData
        // Text copied from a page or a document comes with a picture of it: the text wins.
        if (!data || !holdsFiles(data) || data.types.includes('text/plain')) return
        if (!findPlace(event)) return
        event.preventDefault()
        give(data)
      },
    }
    function give(data: DataTransfer) {
      const files = [...data.files]
      if (files.length > 0) latest.current?.(files)
    }
    for (const [name, listener] of Object.entries(listeners)) {
      addEventListener(name, listener as EventListener, { signal: added.signal })
    }
    return () => added.abort()
  }, [field, latest])
  return place
}

function holdsFiles(data: DataTransfer): boolean {
  return data.types.includes('Files')
}
