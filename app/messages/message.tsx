import { memo, type ReactNode } from 'react'
import { countAlone } from '../../schema/helpers/emoji.ts'
import { isEdited, type MessageDocument } from '../../schema/message.ts'
import { formatClockTime } from '../ui/format/format-clock-time.ts'
import type { LiveSource } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { MessageTicks } from '../ui/icons/message-ticks.tsx'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import { nameMessageType } from '../ui/text/describe-message.ts'
import { describeTimes } from './describe-times.ts'
import { FailedNotice } from './failed-notice.tsx'
import { HoverActions } from './hover-actions.tsx'
import { labelMessage } from './label-message.ts'
import styles from './message.module.css'
import type { MessageActions } from './message-actions.ts'
import { MessageReactions } from './message-reactions.tsx'
import { MessageText } from './message-text.tsx'
import { QuotedMessage } from './quoted-message.tsx'
import { RefusalNotice } from './refusal-notice.tsx'

interface MessageMetaProps {
  message: MessageDocument
  isOwn: boolean
}

export interface MessageProps {
  message: MessageDocument
  isOwn: boolean
  ownId: string
  peerName: string
  startsGroup: boolean
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
  /** The message replied to, if it is loaded: `findMessage` finds others. */
  quoted: MessageDocument | undefined
  findMessage(messageId: string): LiveSource<MessageDocument | null | undefined>
  /**
   * Draws the extra parts that only some messages have, above and below the text. A stable
   * function.
   */
  drawExtra(message: MessageDocument, place: 'above' | 'below'): ReactNode
  /** Set if the message can still go as a template: opens the templates. */
  onTemplate: ((message: MessageDocument) => void) | undefined
  actions: MessageActions
}

/** One message with all its parts. Rerenders only when one of its props changes. */
export const Message = memo(function Message(props: MessageProps) {
  const { message, isOwn, isSelected, actions } = props
  const isSelecting = isSelected !== undefined
  return (
    <article
      className={joinClassNames(
        styles.row,
        isOwn && styles.own,
        props.startsGroup && styles.starts,
        isSelecting && styles.selecting,
        isSelected && styles.selected,
        props.isPulled && styles.pulled,
        props.isHighlighted && styles.highlighted,
      )}
      data-message-id={message._id}
      tabIndex={props.isTabStop ? 0 : -1}
      aria-label={labelMessage(props)}
    >
      {isSelecting && (
        <input
          type="checkbox"
          className={styles.check}
          checked={isSelected}
          tabIndex={-1}
          aria-label="Select this message"
          readOnly
        />
      )}
      <div className={styles.line}>
        {props.isPulled && (
          <span className={styles.pullIcon}>
            <Icon name="reply" size={18} />
          </span>
        )}
        <Bubble {...props} />
        {props.isHovered && !isSelecting && message.deletedAt === undefined && (
          <HoverActions
            message={message}
            isOwn={isOwn}
            canReact={props.canReact}
            actions={actions}
          />
        )}
      </div>
      <MessageReactions {...props} />
      {isOwn && message.status === 'failed' && (
        <FailedNotice message={message} onTemplate={props.onTemplate} actions={actions} />
      )}
      {message.refused && !message.refused.isDismissed && message.status !== 'failed' && (
        <RefusalNotice message={message} refused={message.refused} actions={actions} />
      )}
    </article>
  )
})

function Bubble(props: MessageProps) {
  const { message, isOwn, peerName, findMessage, drawExtra, actions } = props
  const type = nameMessageType(message)
  const isPictured = message.type === 'image' || message.type === 'video'
  const meta = <MessageMeta message={message} isOwn={isOwn} />
  if (message.deletedAt !== undefined) {
    return (
      <div className={styles.bubble}>
        <span className={styles.deleted}>
          <Icon name="trash" size={16} />
          {isOwn ? 'You deleted this message' : 'This message was deleted'}
        </span>
        {meta}
      </div>
    )
  }
  return (
    <div
      className={joinClassNames(
        styles.bubble,
        isPictured && styles.bubbleOfPicture,
        isPictured && message.content !== '' && styles.captioned,
      )}
    >
      {message.replyTo && (
        <QuotedMessage
          source={findMessage(message.replyTo)}
          loaded={props.quoted}
          messageId={message.replyTo}
          peerId={message.peerId}
          peerName={peerName}
          onShow={actions.showMessage}
        />
      )}
      {type && <span className={styles.chip}>{type}</span>}
      {drawExtra(message, 'above')}
      <div
        className={joinClassNames(
          styles.body,
          countAlone(message.content) > 0 && styles.bodyOfEmoji,
        )}
        dir="auto"
      >
        <MessageText text={message.content} markQuery={props.markQuery} />
        {meta}
      </div>
      {drawExtra(message, 'below')}
    </div>
  )
}

/** A bubble's corner: star, edited, the time, and the ticks of an own message. */
function MessageMeta({ message, isOwn }: MessageMetaProps) {
  const isDeleted = message.deletedAt !== undefined
  return (
    <span className={styles.meta} dir="ltr">
      {message.isWhatsApp && <WhatsAppIcon />}
      {message.isStarred && (
        <span role="img" aria-label="Starred">
          <Icon name="star" size={12} isFilled />
        </span>
      )}
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
