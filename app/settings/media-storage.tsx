import { useState } from 'react'
import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { LazyConfirmDialog } from '../ui/dialogs/lazy-confirm-dialog.tsx'
import { formatBytes } from '../ui/format/format-bytes.ts'
import { type LiveSource, useLiveValue } from '../ui/hooks/use-live-value.ts'
import styles from './media-storage.module.css'
import settings from './settings.module.css'
import { type MediaClearing, type MediaUsage, useMediaUsage } from './use-media-usage.ts'

export interface MediaStorageProps {
  messenger: Pick<Messenger, 'files' | 'users'>
  /** Called after files were cleared from the device. */
  onCleared(): void
}

/** Shows each chat's media size on this device, and clears it. */
export function MediaStorage({ messenger, onCleared }: MediaStorageProps) {
  const { chats, problem, clearing, clear } = useMediaUsage(messenger.files, onCleared)
  const [asked, setAsked] = useState<Asked>()
  const isBusy = clearing.kind === 'running'
  const bytes = chats?.reduce((sum, chat) => sum + chat.bytes, 0)
  const count = chats?.reduce((sum, chat) => sum + chat.count, 0) ?? 0
  const most = Math.max(1, ...(chats?.map((chat) => chat.bytes) ?? []))
  return (
    <section className={styles.media} aria-label="Media on this device">
      <h2 className={settings.heading}>Media on this device</h2>
      {problem && (
        <p className={settings.error} role="alert">
          {problem}
        </p>
      )}
      {chats && (
        <p>
          {count === 0
            ? 'No media on this device.'
            : `${formatBytes(bytes)} in ${countFiles(count)}`}
        </p>
      )}
      <p className={styles.note}>
        When space runs low, the files you haven't opened for longest are removed. You can download
        them again. Unsent and starred ones stay.
      </p>
      <ul className={styles.chats}>
        {chats?.map((chat) => (
          <ChatMedia
            key={chat.peerId}
            chat={chat}
            messenger={messenger}
            share={chat.bytes / most}
            isBusy={isBusy}
            onClear={(name) => setAsked({ chats: [chat], peerId: chat.peerId, name })}
          />
        ))}
      </ul>
      <ClearingState clearing={clearing} />
      {chats && chats.length > 0 && (
        <Button look="danger" disabled={isBusy} onClick={() => setAsked({ chats })}>
          Clear all media
        </Button>
      )}
      {asked && (
        <LazyConfirmDialog
          title={asked.name === undefined ? 'Clear all media?' : `Clear media of ${asked.name}?`}
          text={describeLoss(asked.chats)}
          confirmLabel="Clear"
          isDanger
          onConfirm={() => void clear(asked.peerId)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  )
}

interface Asked {
  chats: readonly MediaUsage[]
  peerId?: string
  name?: string
}

/** A person without messages on the device. */
const nobody: LiveSource<undefined> = { getSnapshot: () => undefined, subscribe: () => () => {} }

interface ChatMediaProps {
  chat: MediaUsage
  messenger: Pick<Messenger, 'users'>
  /** The share of the largest chat, from 0 to 1. */
  share: number
  isBusy: boolean
  onClear(name: string): void
}

function ChatMedia({ chat, messenger, share, isBusy, onClear }: ChatMediaProps) {
  const isOfNobody = chat.peerId === ''
  const peer = useLiveValue(isOfNobody ? nobody : messenger.users.get(chat.peerId))
  const name = isOfNobody ? 'Other files' : (peer?.username ?? 'Unknown')
  return (
    <li className={styles.chat}>
      <span className={styles.words}>
        <span className={styles.name} dir="auto">
          {name}
        </span>
        <span className={styles.size}>
          {formatBytes(chat.bytes)} · {countFiles(chat.count)}
        </span>
      </span>
      <Button
        look="quiet"
        aria-label={`Clear media of ${name}`}
        disabled={isBusy || chat.lastingCount === chat.count}
        onClick={() => onClear(name)}
      >
        Clear
      </Button>
      <span className={styles.bar} aria-hidden="true">
        <span className={styles.share} style={{ width: `${share * 100}%` }} />
      </span>
    </li>
  )
}

function ClearingState({ clearing }: { clearing: MediaClearing }) {
  return (
    <>
      <div role="status">
        {clearing.kind === 'running' && (
          <p className={styles.told}>
            Clearing… {clearing.done} of {clearing.total}
            <progress className={styles.progress} value={clearing.done} max={clearing.total} />
          </p>
        )}
        {clearing.kind === 'done' && (
          <p className={styles.told}>Cleared {formatBytes(clearing.bytes)}.</p>
        )}
      </div>
      {clearing.kind === 'failed' && (
        <p className={settings.error} role="alert">
          {clearing.words}
        </p>
      )}
    </>
  )
}

function countFiles(count: number): string {
  return count === 1 ? '1 file' : `${count} files`
}

function describeLoss(chats: readonly MediaUsage[]): string {
  const count = chats.reduce((sum, chat) => sum + chat.count - chat.lastingCount, 0)
  const lasting = chats.reduce((sum, chat) => sum + chat.lastingCount, 0)
  const stays = lasting > 0 ? ` ${countFiles(lasting)} unsent or starred will stay.` : ''
  return `${countFiles(count)} will be removed from this device. This can't be undone. Your messages stay, and you can download sent files again from the chat.${stays}`
}
