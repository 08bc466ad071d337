import { type KeyboardEvent, type MouseEvent, memo } from 'react'
import { Link } from 'react-router-dom'
import type { ConversationRow, Messenger } from '../sync/messenger-types.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { formatBadge } from '../ui/format/format-badge.ts'
import { formatRowTime } from '../ui/format/format-day.ts'
import { useLivePart } from '../ui/hooks/use-live-value.ts'
import { useSettledCount } from '../ui/hooks/use-settled-count.ts'
import { Icon } from '../ui/icons/icon.tsx'
import type { MenuPoint } from '../ui/menus/menu-action.ts'
import { useLongPress } from '../ui/menus/use-long-press.ts'
import { Avatar } from '../ui/people/avatar.tsx'
import { useIsOnline } from '../ui/people/use-is-online.ts'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import styles from './conversation-row.module.css'
import { RowPreview } from './row-preview.tsx'

interface ConversationRowItemProps {
  row: ConversationRow
  messenger: Messenger
  isSelected: boolean
  isMenuOpen: boolean
  /** The start of today, epoch ms. */
  today: number
  /** Navigation state that keeps the list unchanged beside the conversation. */
  linkState: unknown
  onOpenMenu(row: ConversationRow, point: MenuPoint): void
}

export const ConversationRowItem = memo(function ConversationRowItem({
  row,
  messenger,
  isSelected,
  isMenuOpen,
  today,
  linkState,
  onOpenMenu,
}: ConversationRowItemProps) {
  const { peerId } = row
  const unreadCount = useSettledCount(row.unreadCount, isSelected)
  const isOnline = useIsOnline(messenger, peerId) && !row.peer?.isDeleted
  const isTyping = useLivePart(messenger.presence, (presence) => presence.isTyping(peerId))
  // With its chat open the draft is in the composer, and would rerender this row with every key.
  const draft = useLivePart(messenger.drafts.get(peerId), (text) => (isSelected ? '' : text))
  const longPress = useLongPress((point) => onOpenMenu(row, point))
  const name = row.peer?.username ?? 'Unknown'

  const onContextMenu = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault()
    onOpenMenu(row, pointOf(event))
  }

  // Not every keyboard has a context-menu key.
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'ArrowRight' || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    onOpenMenu(row, pointInside(event.currentTarget))
  }

  return (
    <div
      className={joinClassNames(
        styles.row,
        unreadCount > 0 && styles.isUnread,
        row.isMuted && styles.isMuted,
      )}
    >
      <Link
        className={styles.link}
        to={`/chat/${peerId}`}
        state={linkState}
        aria-current={isSelected ? 'true' : undefined}
        draggable={false}
        aria-keyshortcuts="ArrowRight"
        onContextMenu={onContextMenu}
        onKeyDown={onKeyDown}
        {...longPress}
      >
        <Avatar name={name} picture={row.peer?.profilePicture ?? undefined} isOnline={isOnline} />
        <span className={styles.body}>
          <span className={styles.line}>
            <span className={styles.name}>{name}</span>
            {row.lastMessageAt > 0 && (
              <time className={styles.time}>{formatRowTime(row.lastMessageAt, today)}</time>
            )}
          </span>
          <span className={styles.line}>
            <RowPreview row={row} ownId={messenger.userId} isTyping={isTyping} draft={draft} />
            <RowMarks row={row} unreadCount={unreadCount} />
          </span>
        </span>
      </Link>
      <IconButton
        className={styles.more}
        icon="more"
        label={`Actions for ${name}`}
        isSmall
        tabIndex={-1}
        aria-haspopup="menu"
        aria-expanded={isMenuOpen}
        onClick={(event) => onOpenMenu(row, pointOf(event))}
      />
    </div>
  )
})

function RowMarks({ row, unreadCount }: { row: ConversationRow; unreadCount: number }) {
  return (
    <span className={styles.marks}>
      {row.hasFailed && row.lastMessage?.status !== 'failed' && (
        <Mark className={styles.failed} icon="warning" label="Not sent" />
      )}
      {row.isMuted && <Mark icon="mute" label="Muted" />}
      {row.isPinned && <Mark icon="pin" label="Pinned" />}
      {unreadCount > 0 && (
        <span
          className={joinClassNames(styles.badge, row.isMuted && styles.isQuiet)}
          role="img"
          aria-label={`${unreadCount} unread`}
        >
          {formatBadge(unreadCount)}
        </span>
      )}
    </span>
  )
}

interface MarkProps {
  icon: 'mute' | 'pin' | 'warning'
  label: string
  className?: string | undefined
}

function Mark({ icon, label, className }: MarkProps) {
  return (
    <span role="img" aria-label={label} className={className}>
      <Icon name={icon} size={16} />
    </span>
  )
}

/** The pointer's position; for the keyboard, the element's. */
function pointOf(event: MouseEvent<HTMLElement>): MenuPoint {
  if (event.clientX > 0 || event.clientY > 0) return { x: event.clientX, y: event.clientY }
  return pointInside(event.currentTarget)
}

function pointInside(element: HTMLElement): MenuPoint {
  const box = element.getBoundingClientRect()
  return { x: box.left + 48, y: box.top + box.height / 2 }
}
