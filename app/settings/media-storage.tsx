import { useCallback, useEffect, useState } from 'react'
import { wordsOf } from '../../schema/helpers/text.ts'
import { nameOf } from '../database/storage/known-peer.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { LazyConfirmDialog } from '../ui/dialogs/lazy-dialogs.tsx'
import { formatBytes } from '../ui/format/format-amounts.ts'
import { type LiveSource, useLiveValue } from '../ui/hooks/use-live-value.ts'
import styles from './media-storage.module.css'
import settings from './settings.module.css'

export interface MediaStorageProps {
  messenger: Pick<Messenger, 'files' | 'peers'>
  /** Called after files were cleared from the device. */
  onCleared(): void
}

/** Shows what each chat takes on this device, and clears its media. */
export function MediaStorage({ messenger, onCleared }: MediaStorageProps) {
  const { chats, problem, clearing, clear } = useMediaUsage(messenger.files, onCleared)
  const [asked, setAsked] = useState<Asked>()
  const isBusy = clearing.kind === 'running'
  const most = Math.max(1, ...(chats?.map(sumBytes) ?? []))
  const hasFiles = chats?.some(({ count }) => count > 0)
  return (
    <section className={styles.media} aria-label="Chats on this device">
      <h2 className={settings.heading}>Chats on this device</h2>
      {problem && (
        <p className={settings.error} role="alert">
          {problem}
        </p>
      )}
      {chats && <p>{describeAll(chats)}</p>}
      <p className={styles.note}>
        Files are counted exactly. What messages take is an estimate, without what the browser needs
        to search them. You can download removed files again. Unsent and starred ones stay.
      </p>
      <ul className={styles.chats}>
        {chats?.map((chat) => (
          <ChatRow
            key={chat.peerId}
            chat={chat}
            messenger={messenger}
            most={most}
            isBusy={isBusy}
            onClear={(name) => setAsked({ chats: [chat], peerId: chat.peerId, name })}
          />
        ))}
      </ul>
      <ClearingState clearing={clearing} />
      {chats && hasFiles && (
        <Button look="danger" isBusy={isBusy} onClick={() => setAsked({ chats })}>
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
  chats: readonly ChatUsage[]
  peerId?: string
  name?: string
}

/** A person without messages on the device. */
const nobody: LiveSource<undefined> = { getSnapshot: () => undefined, subscribe: () => () => {} }

interface ChatRowProps {
  chat: ChatUsage
  messenger: Pick<Messenger, 'peers'>
  /** What the largest chat takes, in bytes. */
  most: number
  isBusy: boolean
  onClear(name: string): void
}

function ChatRow({ chat, messenger, most, isBusy, onClear }: ChatRowProps) {
  const isOfNobody = chat.peerId === ''
  const peer = useLiveValue(isOfNobody ? nobody : messenger.peers.get(chat.peerId))
  const name = isOfNobody ? 'Other files' : nameOf(peer)
  return (
    <li className={styles.chat}>
      <span className={styles.words}>
        <span className={styles.name} dir="auto">
          {name}
        </span>
        {chat.count > 0 && (
          <span className={styles.size}>
            {formatBytes(chat.bytes)} · {countFiles(chat.count)}
          </span>
        )}
        {chat.messageCount > 0 && (
          <span className={styles.size}>
            About {formatBytes(chat.messageBytes)} · {countMessages(chat.messageCount)}
          </span>
        )}
      </span>
      {chat.count > 0 && (
        <Button
          look="quiet"
          aria-label={`Clear media of ${name}`}
          isBusy={isBusy}
          disabled={chat.lastingCount === chat.count}
          onClick={() => onClear(name)}
        >
          Clear
        </Button>
      )}
      <span className={styles.bar} aria-hidden="true">
        <span className={styles.share} style={{ width: `${(chat.bytes / most) * 100}%` }} />
        <span
          className={styles.messageShare}
          style={{ width: `${(chat.messageBytes / most) * 100}%` }}
        />
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

const sumBytes = ({ bytes, messageBytes }: ChatUsage) => bytes + messageBytes

/** Of all chats: exact for files, about for messages. */
function describeAll(chats: readonly ChatUsage[]): string {
  const sum = (read: (chat: ChatUsage) => number) =>
    chats.reduce((total, chat) => total + read(chat), 0)
  const [count, messageCount] = [sum((chat) => chat.count), sum((chat) => chat.messageCount)]
  const files =
    count === 0
      ? 'No media on this device'
      : `${formatBytes(sum(({ bytes }) => bytes))} in ${countFiles(count)}`
  if (messageCount === 0) return `${files}.`
  return `${files}, about ${formatBytes(sum((chat) => chat.messageBytes))} in ${countMessages(messageCount)}.`
}

function countMessages(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`
}

function countFiles(count: number): string {
  return count === 1 ? '1 file' : `${count} files`
}

function describeLoss(chats: readonly ChatUsage[]): string {
  const count = chats.reduce((sum, chat) => sum + chat.count - chat.lastingCount, 0)
  const lasting = chats.reduce((sum, chat) => sum + chat.lastingCount, 0)
  const stays = lasting > 0 ? ` ${countFiles(lasting)} unsent or starred will stay.` : ''
  return `${countFiles(count)} will be removed from this device. Your messages stay, and what you clear can be downloaded again from the chat.${stays}`
}

type ChatUsage = Awaited<ReturnType<Messenger['files']['listUsage']>>[number]

type MediaClearing =
  | { kind: 'none' }
  | { kind: 'running'; done: number; total: number }
  | { kind: 'done'; bytes: number }
  | { kind: 'failed'; words: string }

/** What each chat takes on this device, read again after each clearing. */
function useMediaUsage(
  files: Pick<Messenger['files'], 'listUsage' | 'clear' | 'tidied'>,
  onCleared: () => void,
) {
  const [chats, setChats] = useState<readonly ChatUsage[]>()
  const [problem, setProblem] = useState<string>()
  const [clearing, setClearing] = useState<MediaClearing>({ kind: 'none' })

  const read = useCallback(async () => {
    try {
      setChats(await files.listUsage())
      setProblem(undefined)
    } catch {
      setProblem("Couldn't read what your chats take on this device. Reload the page to try again.")
    }
  }, [files])
  const round = useLiveValue(files.tidied)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was tidied is read again
  useEffect(() => void read(), [read, round])

  async function clear(peerId: string | undefined) {
    setClearing({ kind: 'running', done: 0, total: 1 })
    try {
      const onProgress = (progress: { done: number; total: number }) =>
        setClearing({ kind: 'running', ...progress })
      const bytes = await files.clear({ peerId, onProgress })
      setClearing({ kind: 'done', bytes })
    } catch (cause) {
      setClearing({ kind: 'failed', words: wordsOf(cause) })
    }
    await read()
    onCleared()
  }

  return { chats, problem, clearing, clear }
}
