import { useEffect, useMemo, useRef, useState } from 'react'
import { wordsOf } from '../../schema/helpers/text.ts'
import { isSticker, type MessageDocument } from '../../schema/message.ts'
import { canForward, pickFile } from '../database/commands/change-message.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { DialogProblem } from '../ui/forms/dialog-form.tsx'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { useShownFile } from './loading/use-file.ts'
import { PictureLayers } from './pictures/picture-layers.tsx'
import styles from './sticker-tray.module.css'

interface StickerTrayProps {
  messenger: Messenger
  peerId: string
  sending: { replyTo: string | undefined; onSent(): void }
  /** Called with a picture that is to become a sticker. */
  onPicture(file: File): void
  onEmoji(): void
  /** Closes the panel. */
  onClose(): void
}

/** One's own stickers: those that were made, and those that were added from a chat (decision 94). */
export function StickerTray(props: StickerTrayProps) {
  const { messenger, peerId, sending, onClose } = props
  const starred = useLiveValue(messenger.starred)
  const stickers = useMemo(() => listStickers(starred ?? []), [starred])
  const [isRemoving, setIsRemoving] = useState(false)
  const [problem, setProblem] = useState<string>()
  const chooser = useRef<HTMLInputElement>(null)
  const tray = useRef<HTMLDivElement>(null)
  // The button that opened it is gone, and the focus with it.
  useEffect(() => tray.current?.focus({ preventScroll: true }), [])

  async function attempt(act: () => Promise<unknown>) {
    setProblem(undefined)
    try {
      await act()
    } catch (cause) {
      setProblem(wordsOf(cause))
    }
  }

  async function send(sticker: MessageDocument) {
    await sendSticker(messenger, sticker, { peerId, replyTo: sending.replyTo })
    onClose()
    sending.onSent()
  }

  return (
    <div
      ref={tray}
      className={styles.tray}
      tabIndex={-1}
      role="dialog"
      aria-label="Stickers"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        onClose()
      }}
    >
      <header className={styles.head}>
        <IconButton icon="smile" label="Show emoji" onClick={props.onEmoji} />
        <p className={styles.title}>Stickers</p>
        {stickers.length > 0 && (
          <button
            type="button"
            className={styles.edit}
            aria-pressed={isRemoving}
            onClick={() => setIsRemoving(!isRemoving)}
          >
            {isRemoving ? 'Done' : 'Remove…'}
          </button>
        )}
      </header>
      {problem && <DialogProblem>{problem}</DialogProblem>}
      <ul className={styles.grid}>
        <li>
          <button type="button" className={styles.make} onClick={() => chooser.current?.click()}>
            <Icon name="picture" size={24} />
            <span>Make one</span>
          </button>
        </li>
        {stickers.map((sticker) => (
          <li key={sticker._id}>
            <Sticker
              messenger={messenger}
              sticker={sticker}
              isRemoving={isRemoving}
              onPress={() =>
                void attempt(() =>
                  isRemoving ? removeSticker(messenger, starred ?? [], sticker) : send(sticker),
                )
              }
            />
          </li>
        ))}
      </ul>
      {starred && stickers.length === 0 && (
        <p className={styles.empty}>
          Make a sticker of a picture, or add one that you were sent: its menu has “Add to
          stickers”.
        </p>
      )}
      <input
        ref={chooser}
        type="file"
        accept="image/png,image/webp,image/jpeg"
        hidden
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file) props.onPicture(file)
          currentTarget.value = ''
        }}
      />
    </div>
  )
}

interface StickerProps {
  messenger: Messenger
  sticker: MessageDocument
  isRemoving: boolean
  onPress(): void
}

function Sticker({ messenger, sticker, isRemoving, onPress }: StickerProps) {
  const { url, isReady, onError } = useShownFile({ messenger, message: sticker, isAutomatic: true })
  const name = sticker.file?.name ?? 'sticker'
  return (
    <button
      type="button"
      className={styles.sticker}
      aria-label={isRemoving ? `Remove sticker ${name}` : `Send sticker ${name}`}
      onClick={onPress}
    >
      <PictureLayers
        blur={url ? undefined : sticker.file?.preview}
        url={url}
        isReady={isReady}
        onError={onError}
      />
      {isRemoving && (
        <span className={styles.remove}>
          <Icon name="close" size={14} />
        </span>
      )}
    </button>
  )
}

/** Each file once, the newest first. */
function listStickers(starred: readonly MessageDocument[]): MessageDocument[] {
  const seen = new Set<string>()
  return starred.filter((message) => {
    const key = message.mediaUrl ?? message._id
    if (!isSticker(message) || seen.has(key)) return false
    seen.add(key)
    return true
  })
}

async function removeSticker(
  { commands }: Messenger,
  starred: readonly MessageDocument[],
  { _id, mediaUrl }: MessageDocument,
): Promise<void> {
  const same = starred.filter(
    (other) => other._id === _id || (mediaUrl !== undefined && other.mediaUrl === mediaUrl),
  )
  await Promise.all(same.map((other) => commands.setStarred(other._id, false)))
}

/**
 * Sends on what the server has, else the bytes from this device: while the first upload waits, and
 * where the file is sealed and this chat is not.
 */
async function sendSticker(
  { commands, files, encryption }: Messenger,
  sticker: MessageDocument,
  to: { peerId: string; replyTo: string | undefined },
): Promise<void> {
  const { peerId, replyTo } = to
  const sent = { peerId, content: '', ...(replyTo !== undefined && { replyTo }) }
  const { file, mediaUrl, _id } = sticker
  const isSealedHere = encryption.of(peerId).getSnapshot() === 'sealed'
  if (canForward(sticker) && (!file?.key || isSealedHere)) {
    await commands.sendMessage({ ...sent, keepsDraft: true, forwarded: pickFile(sticker) })
    return
  }
  const bytes = await files.load({ _id, ...(mediaUrl !== undefined && { mediaUrl }), file })
  const { key: _, ...about } = file ?? {
    name: 'sticker.webp',
    size: bytes.size,
    mimeType: bytes.type,
  }
  await commands.sendFile({ ...sent, type: 'image', bytes, about: { ...about, isSticker: true } })
}
