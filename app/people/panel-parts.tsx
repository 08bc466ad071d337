import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { isSticker } from '../../schema/message.ts'
import type { ConversationRow, Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { formatMutedUntil, formatRowTime } from '../ui/format/format-times.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import { useToday } from '../ui/hooks/use-today.ts'
import { findFocusPath, focusFirst } from '../ui/layers/find-focus-path.ts'
import { useEscape } from '../ui/layers/use-escape.ts'
import { useKeptFocus } from '../ui/layers/use-kept-focus.ts'
import type { MenuPoint } from '../ui/menus/menu-action.ts'
import { MuteMenu } from '../ui/menus/mute-menu.tsx'
import page from '../ui/styles/chat-page.module.css'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import { describeMessage } from '../ui/text/describe-message.ts'
import styles from './contact-panel.module.css'
import { PanelRow } from './panel-row.tsx'

const shownAtFirst = 20

interface InfoPanelProps {
  title: 'Contact info' | 'Group info'
  /** Does it take the chat's place? Else it lies beside the chat. */
  isPage: boolean
  onClose(): void
  children: ReactNode
  /** What stands over it, such as a dialog. */
  over: ReactNode
}

/** The frame of what is known about whoever a chat is with. */
export function InfoPanel({ title, isPage, onClose, children, over }: InfoPanelProps) {
  const heading = useFocusWhileOpen()
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  useEscape(true, onClose)
  return (
    <section className={page.page} aria-label={title} ref={section}>
      <header className={joinClassNames(page.header, styles.header)}>
        <IconButton
          icon={isPage ? 'back' : 'close'}
          label={isPage ? 'Back to chat' : `Close ${title.toLowerCase()}`}
          onClick={onClose}
        />
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
      </header>
      <div className={styles.body}>{children}</div>
      {over}
    </section>
  )
}

/** A named text, in a `dl`. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  )
}

/** The heading takes the focus, for the keyboard and screen readers; its owner gets it back. */
function useFocusWhileOpen() {
  const heading = useRef<HTMLHeadingElement>(null)
  const [returnTo] = useState(findFocusPath)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    return () => {
      // A layer effect: what the person focused meanwhile elsewhere keeps the focus.
      queueMicrotask(() => document.activeElement === document.body && focusFirst(returnTo))
    }
  }, [returnTo])
  return heading
}

interface MuteRowProps {
  messenger: Messenger
  row: ConversationRow
  attempt(work: Promise<unknown>, words: string): void
}

/** Mutes the chat for a time of choice, or ends that. */
export function MuteRow({ messenger, row, attempt }: MuteRowProps) {
  const { peerId, isMuted, mutedUntil } = row
  const today = useToday()
  const [point, setPoint] = useState<MenuPoint>()
  const set = (...change: [isMuted: boolean, until?: number]) =>
    attempt(messenger.commands.setMuted(peerId, ...change), 'Failed to change chat')
  return (
    <PanelRow
      icon={isMuted ? 'unmute' : 'mute'}
      label={isMuted ? 'Unmute' : 'Mute'}
      note={isMuted ? formatMutedUntil(mutedUntil, today) : undefined}
      opens={isMuted ? undefined : 'menu'}
      onClick={(event) => {
        if (isMuted) return set(false)
        const box = event.currentTarget.getBoundingClientRect()
        setPoint({ x: box.left + 16, y: box.bottom })
      }}
    >
      {point && (
        <MuteMenu
          point={point}
          now={messenger.now()}
          onMute={(until) => set(true, until)}
          onClose={() => setPoint(undefined)}
        />
      )}
    </PanelRow>
  )
}

interface StarredRowProps {
  messenger: Messenger
  peerId: string
  /** Names whoever else wrote there. */
  nameOf(userId: string): string
  onGoToMessage(messageId: string): void
}

/** The chat's starred messages, newest star first, beneath their row. */
export function StarredRow({ messenger, peerId, nameOf, onGoToMessage }: StarredRowProps) {
  const all = useLiveValue(messenger.starred)
  const today = useToday()
  const [isOpen, setIsOpen] = useState(false)
  const [limit, setLimit] = useState(shownAtFirst)
  const messages = useMemo(
    () => all?.filter((one) => one.peerId === peerId && !isSticker(one)) ?? [],
    [all, peerId],
  )
  return (
    <PanelRow
      icon="star"
      label="Starred messages"
      end={messages.length > 0 ? String(messages.length) : undefined}
      isExpanded={isOpen}
      onClick={() => setIsOpen(!isOpen)}
    >
      {isOpen && messages.length === 0 && <p className={styles.none}>No starred messages</p>}
      {isOpen && messages.length > 0 && (
        <ul className={styles.starred} aria-label="Starred messages">
          {messages.slice(0, limit).map((message) => (
            <li key={message._id}>
              <button
                type="button"
                className={styles.message}
                onClick={() => onGoToMessage(message._id)}
              >
                <span className={styles.author}>
                  <span>
                    {message.senderId === messenger.userId ? 'You' : nameOf(message.senderId)}
                  </span>
                  <time>{formatRowTime(message.createdAt, today)}</time>
                </span>
                <span className={styles.text} dir="auto">
                  {describeMessage(message)}
                </span>
              </button>
            </li>
          ))}
          {messages.length > limit && (
            <li>
              <Button look="quiet" onClick={() => setLimit(limit + shownAtFirst)}>
                Show more
              </Button>
            </li>
          )}
        </ul>
      )}
    </PanelRow>
  )
}
