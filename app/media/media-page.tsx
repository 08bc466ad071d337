import { Content, List, Root, Trigger } from 'radix-ui/tabs'
import {
  type CSSProperties,
  type ReactElement,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { type MessageDocument, placeInTime } from '../../schema/message.ts'
import { nameOf } from '../database/storage/known-peer.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { formatClockTime, formatDate } from '../ui/format/format-times.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { leaveBackLayers } from '../ui/layers/leave-back-layers.ts'
import page from '../ui/styles/chat-page.module.css'
import { stripStyles } from '../ui/text/describe-message.ts'
import { splitLinks } from '../ui/text/split-links.ts'
import { DocumentFile } from './files/document-file.tsx'
import { readFileFacts } from './files/file-facts.ts'
import { SoundFile } from './files/sound-file.tsx'
import { Gallery } from './gallery.tsx'
import { type MessageKind, messageKinds } from './loading/message-kinds.ts'
import { useShownFile } from './loading/use-file.ts'
import { useSifted } from './loading/use-sifted.ts'
import styles from './media-page.module.css'
import { pictureMark } from './pictures/picture-flight.ts'
import { PictureLayers, PlayMark } from './pictures/picture-layers.tsx'

const widestPx = 150

const fewest = 3

/** Enough pictures to fill a large screen. */
const enough = 60

const loadAheadPx = 1_000

interface MediaPageProps {
  messenger: Messenger
  peerId: string
  kind: MessageKind
  onKind(kind: MessageKind): void
  onBack(): void
  onGoToMessage(messageId: string): void
}

const tabs: readonly { kind: MessageKind; label: string; none: string }[] = [
  { kind: 'media', label: 'Media', none: 'No photos or videos yet' },
  { kind: 'files', label: 'Files', none: 'No files yet' },
  { kind: 'links', label: 'Links', none: 'No links yet' },
]

const emptyIcons = { media: 'picture', files: 'file', links: 'link' } as const

/** A chat's pictures and videos, files, and links, each grouped by month. */
export function MediaPage(props: MediaPageProps) {
  const { messenger, peerId, kind, onKind, onBack, onGoToMessage } = props
  const peer = useLiveValue(messenger.peers.get(peerId))
  const name = nameOf(peer)
  const [opened, setOpened] = useState<MessageDocument>()
  const goToMessage = (messageId: string) => leaveBackLayers(() => onGoToMessage(messageId))

  function nameAuthor({ senderId }: MessageDocument) {
    return peer?.isGroup ? nameOf(messenger.users.get(senderId).getSnapshot()) : name
  }

  function draw(message: MessageDocument) {
    const author = message.senderId === messenger.userId ? 'You' : nameAuthor(message)
    const shared = { message, author, onGoToMessage: () => goToMessage(message._id) }
    switch (kind) {
      case 'media':
        return (
          <FoundPicture
            key={message._id}
            {...shared}
            messenger={messenger}
            onOpen={() => setOpened(message)}
          />
        )
      case 'files':
        return <FoundFile key={message._id} {...shared} messenger={messenger} />
      case 'links':
        return <FoundLinks key={message._id} {...shared} />
    }
  }

  return (
    <section className={page.page} aria-label={`Media, files and links with ${name}`}>
      <header className={page.header}>
        <IconButton icon="back" label="Back to chat" onClick={onBack} />
        <div className={styles.titles}>
          <h2>Media, files and links</h2>
          <p>{name}</p>
        </div>
      </header>
      <Root
        className={styles.tabs}
        value={kind}
        onValueChange={(value) => {
          const chosen = tabs.find((tab) => tab.kind === value)
          if (chosen) onKind(chosen.kind)
        }}
      >
        <List className={styles.tabList} aria-label="Media, files and links">
          {tabs.map((tab) => (
            <Trigger key={tab.kind} className={styles.tab} value={tab.kind}>
              {tab.label}
            </Trigger>
          ))}
        </List>
        {tabs.map((tab) =>
          tab.kind === kind ? (
            <MonthList
              key={tab.kind}
              messenger={messenger}
              peerId={peerId}
              kind={kind}
              none={tab.none}
              draw={draw}
            />
          ) : (
            // The tab's `aria-controls` needs this element.
            <Content key={tab.kind} value={tab.kind} />
          ),
        )}
      </Root>
      {opened && (
        <Gallery
          messenger={messenger}
          peerId={peerId}
          message={opened}
          onGoToMessage={goToMessage}
          onClose={() => setOpened(undefined)}
        />
      )}
    </section>
  )
}

/** A document to save, or audio to play. */
function FoundFile({ messenger, message, author, onGoToMessage }: FoundProps) {
  const File = message.type === 'audio' ? SoundFile : DocumentFile
  return (
    <div className={styles.found}>
      <File messenger={messenger} message={message} />
      <FoundNote message={message} author={author} onGoToMessage={onGoToMessage} />
    </div>
  )
}

/** A message's links, each once, with the surrounding text. */
function FoundLinks({ message, author, onGoToMessage }: Omit<FoundProps, 'messenger'>) {
  const parts = splitLinks(message.content)
  const links = [...new Set(parts.flatMap(({ href }) => href ?? []))]
  const words = parts.some(({ href, text }) => href === undefined && text.trim() !== '')
  return (
    <div className={styles.found}>
      {links.map((href) => (
        <a key={href} className={styles.link} href={href} target="_blank" rel="noreferrer noopener">
          <Icon name="link" size={20} />
          <span dir="auto">{href}</span>
        </a>
      ))}
      {words && (
        <p className={styles.words} dir="auto">
          {stripStyles(message.content)}
        </p>
      )}
      <FoundNote message={message} author={author} onGoToMessage={onGoToMessage} />
    </div>
  )
}

/** Who sent it and when, with a link to the message. */
function FoundNote({ message, author, onGoToMessage }: Omit<FoundProps, 'messenger'>) {
  const { createdAt } = message
  return (
    <p className={styles.note}>
      <span>
        {author} · {formatDate(createdAt)}, {formatClockTime(createdAt)}
      </span>
      <IconButton icon="chats" iconSize={20} label="Go to message" onClick={onGoToMessage} />
    </p>
  )
}

/** A picture or video in the grid: a square that opens the gallery. */
function FoundPicture({
  messenger,
  message,
  author,
  onOpen,
  onGoToMessage,
}: FoundProps & { onOpen(): void }) {
  const isVideo = message.type === 'video'
  const shown = useShownFile({ messenger, message, isAutomatic: !isVideo })
  const url = isVideo ? undefined : shown.url
  const { name } = readFileFacts(message)
  const when = `${author}, ${formatDate(message.createdAt)}`
  return (
    <div className={styles.tile}>
      <button
        type="button"
        className={styles.face}
        {...{ [pictureMark]: message._id }}
        aria-label={`Open ${isVideo ? 'video' : 'picture'} ${name}, ${when}`}
        onClick={onOpen}
      >
        <PictureLayers
          blur={message.file?.preview}
          url={url}
          isReady={shown.isReady}
          alt={message.content || name}
          onError={shown.onError}
        />
        {url === undefined && (isVideo || shown.view.kind !== 'reading') && (
          <span className={styles.symbol}>
            {isVideo ? <PlayMark /> : <Icon name="picture" size={28} />}
          </span>
        )}
      </button>
      <IconButton
        className={styles.tileTool}
        icon="chats"
        iconSize={18}
        label="Go to message"
        onClick={onGoToMessage}
      />
    </div>
  )
}

interface MonthListProps {
  messenger: Messenger
  peerId: string
  kind: MessageKind
  /** The text if there are none. */
  none: string
  draw(message: MessageDocument): ReactElement
}

/**
 * The panel of a tab: matching messages of a chat, newest first, by month; renders only visible
 * ones.
 */
function MonthList({ messenger, peerId, kind, none, draw }: MonthListProps) {
  const { view, window } = useSifted(messenger, {
    peerId,
    isWanted: messageKinds[kind],
    enough,
  })
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const wide = useColumns(scroller)
  const columns = kind === 'media' ? wide : 1
  const items = window?.items
  const rows = useMemo(
    () => buildMonthRows(items?.toReversed() ?? [], { columns }),
    [items, columns],
  )
  const isReading = window === undefined || window.isReading
  const hasOlder = Boolean(window?.hasOlder)

  function look() {
    const handle = list.current
    if (!handle || !hasOlder) return
    const { scrollOffset, scrollSize, viewportSize } = handle
    if (scrollSize - scrollOffset - viewportSize < loadAheadPx) void view?.loadOlder()
  }
  // The results so far may not fill the screen.
  useEffect(() => {
    if (!isReading && rows.length > 0) look()
  })

  return (
    <Content ref={scroller} className={styles.scroller} value={kind}>
      <Virtualizer ref={list} scrollRef={scroller} data={rows} onScroll={look}>
        {(row) =>
          row.kind === 'month' ? (
            <h3 key={row.key} className={styles.month}>
              {row.label}
            </h3>
          ) : (
            <div
              key={row.key}
              className={kind === 'media' ? styles.tiles : styles.line}
              style={{ '--columns': columns } as CSSProperties}
            >
              {row.messages.map(draw)}
            </div>
          )
        }
      </Virtualizer>
      <p className={styles.state} role="status">
        {rows.length === 0 && !isReading && <Icon name={emptyIcons[kind]} size={40} />}
        {describe({ isEmpty: rows.length === 0, isReading, none })}
      </p>
    </Content>
  )
}

function describe(state: { isEmpty: boolean; isReading: boolean; none: string }): string {
  if (state.isReading) return 'Looking through the chat…'
  return state.isEmpty ? state.none : ''
}

/** The number of pictures per row for an element's current width. */
function useColumns(element: RefObject<HTMLElement | null>): number {
  const [columns, setColumns] = useState(fewest)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const measure = () => setColumns(Math.max(fewest, Math.round(current.clientWidth / widestPx)))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return columns
}

/** A month's name, or one row of its messages. */
type MonthRow =
  | { kind: 'month'; key: string; label: string }
  | { kind: 'line'; key: string; messages: readonly MessageDocument[] }

/** The rows of messages, newest first, grouped by month. */
export function buildMonthRows(
  messages: readonly MessageDocument[],
  { columns }: { columns: number },
): MonthRow[] {
  const rows: MonthRow[] = []
  const now: { label?: string; line?: MessageDocument[] | undefined } = {}
  for (const message of messages) {
    const label = nameMonth(message)
    if (label !== now.label) {
      rows.push({ kind: 'month', key: label, label })
      now.label = label
      now.line = undefined
    }
    if (now.line === undefined || now.line.length >= columns) {
      now.line = []
      rows.push({ kind: 'line', key: message._id, messages: now.line })
    }
    now.line.push(message)
  }
  return rows
}

function nameMonth(message: MessageDocument): string {
  return new Date(placeInTime(message)).toLocaleDateString('en', { month: 'long', year: 'numeric' })
}

/** A message found in a chat, with its actions. */
interface FoundProps {
  messenger: Messenger
  message: MessageDocument
  /** The author's name, or 'You'. */
  author: string
  onGoToMessage(): void
}
