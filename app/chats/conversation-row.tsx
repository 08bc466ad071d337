import { type KeyboardEvent, type MouseEvent, memo, useMemo } from 'react'
import { Link } from 'react-router-dom'
import { lineOf } from '../../schema/api/groups.ts'
import { isIncoming } from '../../schema/message.ts'
import { type KnownGroup, nameOf, pictureOf } from '../database/storage/known-peer.ts'
import { findGroupCreation } from '../database/storage/queued-request.ts'
import { joinNames } from '../database/views/join-names.ts'
import type { ConversationRow, Messenger } from '../sync/messenger-types.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { formatBadge } from '../ui/format/format-amounts.ts'
import { formatRowTime } from '../ui/format/format-times.ts'
import { useDebounced } from '../ui/hooks/use-debounced.ts'
import { type LiveSource, useLivePart, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { useRowSwipe } from '../ui/hooks/use-row-swipe.ts'
import { useSettledCount } from '../ui/hooks/use-settled-count.ts'
import { Icon } from '../ui/icons/icon.tsx'
import type { IconName } from '../ui/icons/icon-paths.ts'
import { MessageTicks } from '../ui/icons/message-ticks.tsx'
import { VisuallyHidden } from '../ui/layout/page.tsx'
import { useLongPress } from '../ui/menus/long-press.ts'
import type { MenuPoint } from '../ui/menus/menu-action.ts'
import { Avatar } from '../ui/people/avatar.tsx'
import { useIsOnline } from '../ui/people/use-presence-words.ts'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import { describeLine, listNamedInLine } from '../ui/text/describe-line.ts'
import { cutPreview, sketchMessage } from '../ui/text/describe-message.ts'
import styles from './conversation-row.module.css'

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
  /** Reports a swipe that the device could not store. */
  onSwipe(work: Promise<unknown>): void
}

const noGroup: LiveSource<KnownGroup | undefined> = {
  getSnapshot: () => undefined,
  subscribe: () => () => {},
}

/** Longer than a mark takes to be stored. */
const readAfterMs = 400

export const ConversationRowItem = memo(function ConversationRowItem({
  row,
  messenger,
  isSelected,
  isMenuOpen,
  today,
  linkState,
  onOpenMenu,
  onSwipe,
}: ConversationRowItemProps) {
  const { peerId } = row
  const { undo } = messenger
  const isReadNow = useLivePart(undo.offer, (offer) => offer?.readsPeerId === peerId)
  // When the offer ends, the mark is stored a moment later.
  const isReadSoon = useDebounced(isReadNow, readAfterMs) || isReadNow
  const unreadCount = useSettledCount(isReadSoon ? 0 : row.unreadCount, isSelected)
  const isGroup = row.peer?.isGroup === true
  const isOnline =
    useIsOnline(messenger, isGroup ? undefined : peerId) &&
    !row.peer?.isGroup &&
    !row.peer?.isDeleted
  // With what waits to be sent: the row has what the server last said.
  const group = useLiveValue(isGroup ? messenger.groups.get(peerId) : noGroup)
  const creation = useLivePart(
    messenger.requests.entries,
    (entries) => (isGroup && findGroupCreation(entries, peerId)?.state) || undefined,
  )
  const isTyping = useLivePart(messenger.presence, (presence) => presence.isTyping(peerId))
  // With its chat open the draft is in the composer, and would rerender this row with every key.
  const draft = useLivePart(messenger.drafts.get(peerId), (text) => (isSelected ? '' : text))
  const longPress = useLongPress((point) => onOpenMenu(row, point))
  const name = nameOf(group ?? row.peer)
  const isUnread = unreadCount > 0
  const swipe = useRowSwipe({
    left() {
      const work = undo.setArchived(peerId, !row.isArchived)
      onSwipe(work)
      return work
    },
    right: () =>
      isUnread ? undo.markRead(peerId) : onSwipe(undo.setPinned(peerId, !row.isPinned)),
  })

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
      {...swipe}
    >
      <SwipeSign side="right" {...(isUnread ? readSign : row.isPinned ? unpinSign : pinSign)} />
      <SwipeSign side="left" {...(row.isArchived ? unarchiveSign : archiveSign)} />
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
        <Avatar
          name={name}
          picture={pictureOf(group ?? row.peer)}
          isOnline={isOnline}
          isGroup={isGroup}
        />
        <span className={styles.body}>
          <span className={styles.line}>
            <span className={styles.name}>{name}</span>
            {row.lastMessageAt > 0 && (
              <time className={styles.time}>{formatRowTime(row.lastMessageAt, today)}</time>
            )}
          </span>
          <span className={styles.line}>
            <RowPreview row={row} messenger={messenger} isTyping={isTyping} draft={draft} />
            <RowMarks row={row} unreadCount={unreadCount} creation={creation} />
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

interface Sign {
  icon: IconName
  words: string
}

const readSign: Sign = { icon: 'check', words: 'Read' }
const pinSign: Sign = { icon: 'pin', words: 'Pin' }
const unpinSign: Sign = { icon: 'pin', words: 'Unpin' }
const archiveSign: Sign = { icon: 'archive', words: 'Archive' }
const unarchiveSign: Sign = { icon: 'archive', words: 'Unarchive' }

/** What a swipe does, beneath the row; the menu has the same for everybody else. */
function SwipeSign({ side, icon, words }: Sign & { side: 'left' | 'right' }) {
  return (
    <span className={joinClassNames(styles.sign, styles[side])} aria-hidden="true">
      <Icon name={icon} />
      {words}
    </span>
  )
}

interface RowMarksProps {
  row: ConversationRow
  unreadCount: number
  /** Of a group that the server has yet to make, or would not. */
  creation: 'waiting' | 'refused' | undefined
}

function RowMarks({ row, unreadCount, creation }: RowMarksProps) {
  return (
    <span className={styles.marks}>
      {creation === 'waiting' && <Mark icon="clock" label="Waiting to be created" />}
      {creation === 'refused' && (
        <Mark className={styles.failed} icon="warning" label="Not created" />
      )}
      {row.hasFailed && row.lastMessage?.status !== 'failed' && creation !== 'refused' && (
        <Mark className={styles.failed} icon="warning" label="Not sent" />
      )}
      {row.isMuted && <Mark icon="mute" label="Muted" />}
      {row.isPinned && <Mark icon="pin" label="Pinned" />}
      {unreadCount > 0 && row.mentions && (
        <span className={styles.mention} role="img" aria-label="You were mentioned">
          @
        </span>
      )}
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
  icon: 'mute' | 'pin' | 'warning' | 'clock'
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

interface RowPreviewProps {
  row: ConversationRow
  messenger: Pick<Messenger, 'users' | 'userId'>
  isTyping: boolean
  draft: string
}

/** The second line of a row: typing, a draft, or the last message with its ticks. */
function RowPreview({ row, messenger, isTyping, draft }: RowPreviewProps) {
  if (isTyping) return <span className={`${styles.preview} ${styles.typing}`}>typing...</span>
  if (draft.trim() !== '') {
    return (
      <span className={styles.preview}>
        <span className={styles.draft}>Draft:</span>
        <span className={styles.words}>{cutPreview(draft.trim())}</span>
      </span>
    )
  }
  const message = row.lastMessage
  if (!message) {
    return <span className={styles.preview}>{row.isComing ? '\u00a0' : 'No messages yet'}</span>
  }
  const line = lineOf(message)
  if (line) {
    const said = { senderId: message.senderId, line }
    return (
      <span className={styles.preview}>
        <LineWords messenger={messenger} {...said} />
      </span>
    )
  }
  const authorId = findNamedAuthor(row, messenger.userId)
  const hasTicks = message.senderId === messenger.userId && message.deletedAt === undefined
  const { icon, thumb, words, spoken } = sketchMessage(message)
  return (
    <span className={styles.preview}>
      {hasTicks && (
        <MessageTicks key={message._id} status={message.status} isWhatsApp={message.isWhatsApp} />
      )}
      {authorId !== undefined && <AuthorName messenger={messenger} authorId={authorId} />}
      {thumb ? (
        <img className={styles.thumb} src={thumb} alt="" />
      ) : (
        icon && <Icon name={icon} size={18} />
      )}
      {spoken && <VisuallyHidden>{spoken}</VisuallyHidden>}
      <span className={styles.words} aria-hidden={spoken ? true : undefined}>
        {cutPreview(words)}
      </span>
    </span>
  )
}

interface LineWordsProps {
  messenger: Pick<Messenger, 'users' | 'userId'>
  senderId: string
  line: NonNullable<ReturnType<typeof lineOf>>
}

/** What became of a group, in one line with names. */
function LineWords({ messenger, senderId, line }: LineWordsProps) {
  const { users, userId } = messenger
  const names = useLiveValue(
    useMemo(
      () =>
        joinNames(
          listNamedInLine({ senderId, line }).filter((id) => id !== userId),
          users.get,
        ),
      [senderId, line, users, userId],
    ),
  )
  const nameOfId = (id: string) => names.get(id) ?? nameOf(undefined)
  const words = describeLine({ senderId, line }, { ownId: userId, nameOf: nameOfId })
  return <span className={styles.words}>{words}</span>
}

/** In a group the preview begins with who wrote it, unless that is the person themselves. */
export function findNamedAuthor(
  { peer, lastMessage }: Pick<ConversationRow, 'peer' | 'lastMessage'>,
  ownId: string,
): string | undefined {
  if (!peer?.isGroup || !lastMessage || !isIncoming(lastMessage, ownId)) return undefined
  return lastMessage.senderId
}

interface AuthorNameProps {
  messenger: Pick<Messenger, 'users'>
  authorId: string
}

/** Who wrote the message of a group whose words follow. */
export function AuthorName({ messenger, authorId }: AuthorNameProps) {
  const author = useLiveValue(messenger.users.get(authorId))
  return (
    <span className={styles.author}>
      <span>{nameOf(author)}</span>:
    </span>
  )
}
