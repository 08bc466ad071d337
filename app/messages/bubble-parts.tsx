import type { CSSProperties, ReactNode } from 'react'
import { isAccepted, isEdited, isIncoming, type MessageDocument } from '../../schema/message.ts'
import { listReactions } from '../../schema/reaction.ts'
import { formatClockTime, formatDate, startOfDay } from '../ui/format/format-times.ts'
import { type LiveSource, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { MessageTicks } from '../ui/icons/message-ticks.tsx'
import { pickAvatarColour } from '../ui/people/avatar.tsx'
import { cutAtWord, describeMessage, nameStatus } from '../ui/text/describe-message.ts'
import styles from './message.module.css'
import type { MessageActions } from './message-actions.ts'
import quotedMessageStyles from './quoted-message.module.css'

const wordsMaxLength = 300

const apartMs = 60_000

/** One picture or video of an album. */
export interface AlbumPart {
  message: MessageDocument
  canReact: boolean
  /** Undefined outside selection mode. */
  isSelected: boolean | undefined
  isHighlighted: boolean
}

export interface MessageProps {
  message: MessageDocument
  isOwn: boolean
  ownId: string
  /** Names whoever wrote it, or reacted to it. The same function until a name changes. */
  nameOf(userId: string): string
  startsGroup: boolean
  /** Does its author's name stand in it? */
  showsAuthor: boolean
  /** The pictures that it is the first of, drawn in one bubble. */
  album: readonly AlbumPart[] | undefined
  /** The picture of the album under the mouse. */
  hoveredId: string | undefined
  isHovered: boolean
  /** Is a finger pulling it to the right, for a reply? */
  isPulled: boolean
  /** Undefined outside selection mode. */
  isSelected: boolean | undefined
  isHighlighted: boolean
  /** The search query to highlight in the text; empty without one. */
  markQuery: string
  /** Can Tab reach it? Arrow keys reach the others. */
  isTabStop: boolean
  canReact: boolean
  /** Is the chat encrypted? Then what is not says so. */
  marksPlain: boolean
  /** Does this device lack its person's keys? Then what is locked leads to where they come from. */
  isDeviceLocked: boolean
  /** The message replied to, if it is loaded: `findMessage` finds others. */
  quoted: MessageDocument | undefined
  findMessage(messageId: string): LiveSource<MessageDocument | null | undefined>
  /**
   * Draws the extra parts that only some messages have, above and below the text, or a file as an
   * album's tile. A stable function.
   */
  drawExtra(message: MessageDocument, place: 'above' | 'below' | 'tile'): ReactNode
  /** Set if the message can still go as a template: opens the templates. */
  onTemplate: ((message: MessageDocument) => void) | undefined
  actions: MessageActions
}

/**
 * A message's time: when it was written; also when it was sent, if over a minute later. It is under
 * the date of sending: an earlier day is named. A pending message has no second time.
 */
export function describeTimes(
  message: Pick<MessageDocument, 'createdAt' | 'orderedAt' | 'status'>,
): string {
  const written = formatClockTime(message.createdAt)
  const isLate = isAccepted(message) && message.orderedAt - message.createdAt > apartMs
  if (!isLate) return written
  const isSameDay = startOfDay(message.createdAt) === startOfDay(message.orderedAt)
  const day = isSameDay ? '' : `${formatDate(message.createdAt)} `
  return `written ${day}${written} · sent ${formatClockTime(message.orderedAt)}`
}

/** Who wrote it, above the words, in the colour of their face; the label for screen readers says it anyway. */
export function AuthorName({ message, nameOf, showsAuthor }: MessageProps) {
  if (!showsAuthor) return null
  const name = nameOf(message.senderId)
  return (
    <p
      className={styles.author}
      style={{ '--author-colour': pickAvatarColour(name) } as CSSProperties}
      aria-hidden="true"
      dir="auto"
    >
      {name}
    </p>
  )
}

interface QuotedMessageProps {
  source: LiveSource<MessageDocument | null | undefined>
  /** The message itself, if loaded already. */
  loaded: MessageDocument | undefined
  messageId: string
  ownId: string
  nameOf(userId: string): string
  onShow(messageId: string): void
}

/** The message replied to, with a link to it. */
export function QuotedMessage(props: QuotedMessageProps) {
  const { messageId, ownId, nameOf, onShow } = props
  const read = useLiveValue(props.source)
  const message = props.loaded ?? read
  return (
    <button
      type="button"
      className={quotedMessageStyles.quote}
      tabIndex={-1}
      onClick={() => onShow(messageId)}
    >
      {message !== null && (
        <span className={quotedMessageStyles.quoteName}>
          {message && (isIncoming(message, ownId) ? nameOf(message.senderId) : 'You')}
        </span>
      )}
      <span className={quotedMessageStyles.quoteText} dir="auto">
        {message === null
          ? "This message isn't on this device"
          : message && describeMessage(message)}
      </span>
    </button>
  )
}

interface LabelledMessage {
  message: MessageDocument
  isOwn: boolean
  ownId: string
  nameOf(userId: string): string
  /** Is the chat encrypted? Then what is not says so. */
  marksPlain?: boolean
  /** The message replied to, if known. */
  quoted: Pick<MessageDocument, 'senderId'> | undefined
}

/**
 * A message's label for screen readers: who, when, its state, and its text: `You, 10:02, in reply
 * to Ben, edited, starred, delivered: hello`.
 */
export function labelMessage(labelled: LabelledMessage): string {
  const { message, isOwn, ownId, nameOf, marksPlain, quoted } = labelled
  const isDeleted = message.deletedAt !== undefined
  const facts = [
    isOwn ? 'You' : nameOf(message.senderId),
    formatClockTime(message.createdAt),
    message.replyTo && !isDeleted && nameAnswered(quoted, ownId, nameOf),
    marksPlain && isPlain(message) && 'not encrypted',
    isEdited(message) && 'edited',
    message.isStarred && 'starred',
    ...listReactions(message.reactions).map(
      ({ userId, emoji }) => `${userId === ownId ? 'you' : nameOf(userId)} reacted ${emoji}`,
    ),
    isOwn && !isDeleted && nameStatus(message.status).toLowerCase(),
  ]
  return `${facts.filter(Boolean).join(', ')}: ${cutAtWord(describeMessage(message), wordsMaxLength)}`
}

/** Could others than its two people read it? One that waits to leave may be sealed until it does. */
function isPlain({ sealed, deletedAt, status }: MessageDocument): boolean {
  return sealed === undefined && deletedAt === undefined && status !== 'sending'
}

function nameAnswered(
  quoted: LabelledMessage['quoted'],
  ownId: string,
  nameOf: LabelledMessage['nameOf'],
): string {
  if (!quoted) return 'a reply'
  return `in reply to ${isIncoming(quoted, ownId) ? nameOf(quoted.senderId) : 'you'}`
}

interface MessageMetaProps {
  message: MessageDocument
  isOwn: boolean
  marksPlain?: boolean
}

/** A bubble's corner: star, edited, the time, and the ticks of an own message. */
export function MessageMeta({ message, isOwn, marksPlain = false }: MessageMetaProps) {
  const isDeleted = message.deletedAt !== undefined
  return (
    <span className={styles.meta} dir="ltr">
      {message.isWhatsApp && <WhatsAppIcon />}
      {message.isStarred && (
        <span role="img" aria-label="Starred">
          <Icon name="star" size={12} isFilled />
        </span>
      )}
      {marksPlain && isPlain(message) && <span>not encrypted</span>}
      {isEdited(message) && <span>edited</span>}
      <time dateTime={new Date(message.createdAt).toISOString()}>
        {isDeleted ? formatClockTime(message.createdAt) : describeTimes(message)}
      </time>
      {isOwn && !isDeleted && (
        <MessageTicks status={message.status} isWhatsApp={message.isWhatsApp} />
      )}
    </span>
  )
}

/** Marks messages sent over WhatsApp: a speech bubble with a handset. */
function WhatsAppIcon() {
  return (
    <span role="img" aria-label="WhatsApp">
      <Icon name="whatsapp" size={13} />
    </span>
  )
}
