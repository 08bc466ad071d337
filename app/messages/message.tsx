import { memo, type ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { lockOf } from '../../schema/encryption/sealed-part.ts'
import { countAlone } from '../../schema/helpers/emoji.ts'
import {
  isSticker,
  type MessageDocument,
  messageStatuses,
  type RefusedChange,
} from '../../schema/message.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import { lockWords, nameMessageType } from '../ui/text/describe-message.ts'
import { LinkCard } from '../ui/text/link-card.tsx'
import {
  type AlbumPart,
  AuthorName,
  labelMessage,
  MessageMeta,
  type MessageProps,
  QuotedMessage,
} from './bubble-parts.tsx'
import { FailedNotice } from './failed-notice.tsx'
import { HoverActions } from './hover-actions.tsx'
import styles from './message.module.css'
import type { MessageActions } from './message-actions.ts'
import { MessageReactions } from './message-reactions.tsx'
import { MessageText } from './message-text.tsx'
import noticeStyles from './notice.module.css'

/** The number of tiles; the last one counts what has none. */
const tilesMax = 4

/** One message with all its parts. Rerenders only when one of its props changes. */
export const Message = memo(function Message(props: MessageProps) {
  const { message, isOwn, isSelected, actions, album } = props
  if (album) return <Album {...props} album={album} />
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
  const { message, isOwn, nameOf, findMessage, drawExtra, actions } = props
  const meta = <MessageMeta message={message} isOwn={isOwn} marksPlain={props.marksPlain} />
  if (message.deletedAt !== undefined) {
    return (
      <div className={styles.bubble}>
        <AuthorName {...props} />
        <span className={styles.deleted}>
          <Icon name="trash" size={16} />
          <span>{isOwn ? 'You deleted this message' : 'This message was deleted'}</span>
          {meta}
        </span>
      </div>
    )
  }
  const lock = lockOf(message)
  if (lock) {
    return (
      <div className={styles.bubble}>
        <AuthorName {...props} />
        <span className={styles.deleted}>
          <Icon name="lock" size={16} />
          {lockWords[lock].title}
        </span>
        <p className={styles.lockHint}>
          {lock === 'key' && props.isDeviceLocked ? (
            <>
              Unlock this device to read it. <Link to="/settings/security">Unlock</Link>
            </>
          ) : (
            lockWords[lock].hint
          )}
        </p>
        {meta}
      </div>
    )
  }
  const look = chooseLook(message)
  const hasWords = message.content !== ''
  // An edit may have taken the address out of the text.
  const link = message.link && message.content.includes(message.link.url) ? message.link : undefined
  const body = (
    <div
      className={joinClassNames(styles.body, countAlone(message.content) > 0 && styles.bodyOfEmoji)}
      dir="auto"
    >
      <MessageText
        text={message.content}
        markQuery={props.markQuery}
        mentions={message.mentions}
        ownId={props.ownId}
        onMention={actions.showPerson}
      />
      {link && <LinkCard {...link} isLink />}
      {meta}
    </div>
  )
  return (
    <div className={joinClassNames(styles.bubble, styles[look], hasWords && styles.captioned)}>
      <AuthorName {...props} />
      {message.replyTo && (
        <QuotedMessage
          source={findMessage(message.replyTo)}
          loaded={props.quoted}
          messageId={message.replyTo}
          ownId={props.ownId}
          nameOf={nameOf}
          onShow={actions.showMessage}
        />
      )}
      {look === 'pictured' || look === 'sticker' ? (
        <>
          <div className={styles.frame}>
            <TypeChip message={message} />
            {drawExtra(message, 'above')}
            {!hasWords && <div className={styles.over}>{meta}</div>}
          </div>
          {hasWords && body}
        </>
      ) : (
        <>
          <TypeChip message={message} />
          {drawExtra(message, 'above')}
          {body}
        </>
      )}
      {drawExtra(message, 'below')}
    </div>
  )
}

/** What a message says it is, as the specification names it; undefined for text. */
function TypeChip({ message }: { message: MessageDocument }) {
  const type = nameMessageType(message)
  return type && <span className={styles.chip}>{type}</span>
}

type Look = 'worded' | 'alone' | 'pictured' | 'sticker' | 'filed' | 'plain'

/**
 * How a bubble is drawn. `alone`: a few emoji without a bubble; `pictured`: to its edge; `filed`:
 * in one row with the time; `plain`: its chip stands above the words.
 */
function chooseLook(message: MessageDocument): Look {
  const { type, file, mediaUrl, replyTo, content } = message
  if (type === 'text') return !replyTo && countAlone(content) > 0 ? 'alone' : 'worded'
  if (file === undefined && mediaUrl === undefined) return 'plain'
  if (isSticker(message)) return 'sticker'
  if (type === 'image' || type === 'video') return 'pictured'
  return type === 'audio' || type === 'document' ? 'filed' : 'plain'
}

interface RefusalNoticeProps {
  message: MessageDocument
  refused: RefusedChange
  actions: MessageActions
}

/** A refused edit: the reason, the refused text, and what the person can do. */
function RefusalNotice({ message, refused, actions }: RefusalNoticeProps) {
  const { content } = refused
  return (
    <div className={noticeStyles.notice}>
      <p className={noticeStyles.reason}>
        <Icon name="warning" size={18} />
        {refused.error}
      </p>
      {content && (
        <p className={noticeStyles.refusedText} dir="auto">
          {content}
        </p>
      )}
      <div className={noticeStyles.noticeButtons}>
        {content && message.deletedAt === undefined && (
          <button type="button" onClick={() => actions.editAgain(message, content)}>
            Edit again
          </button>
        )}
        {content && (
          <button type="button" onClick={() => actions.copy(content)}>
            Copy
          </button>
        )}
        <button type="button" onClick={() => actions.dismissRefusal(message)}>
          Dismiss
        </button>
      </div>
    </div>
  )
}

/**
 * Pictures and videos sent together, in one bubble: two beside each other, one large and two small,
 * or four. Each tile is the message itself, for the keyboard, the menu, selection and screen readers.
 */
function Album(props: MessageProps & { album: readonly AlbumPart[] }) {
  const { album, isOwn, isSelected, actions } = props
  const first = album[0]?.message
  const last = album.at(-1)?.message
  if (!first || !last) return null
  const tiles = album.slice(0, tilesMax)
  const hidden = album.length - tiles.length
  const hovered = album.find(({ message }) => message._id === props.hoveredId)
  const meta = (
    <MessageMeta
      message={{ ...last, status: findLeastStatus(album) }}
      isOwn={isOwn}
      marksPlain={props.marksPlain}
    />
  )
  return (
    <div
      className={joinClassNames(
        styles.row,
        isOwn && styles.own,
        props.startsGroup && styles.starts,
        props.isPulled && styles.pulled,
      )}
      data-album={tiles.length}
    >
      <div className={styles.line}>
        {props.isPulled && (
          <span className={styles.pullIcon}>
            <Icon name="reply" size={18} />
          </span>
        )}
        <div
          className={joinClassNames(
            styles.bubble,
            styles.pictured,
            last.content !== '' && styles.captioned,
          )}
        >
          <AuthorName {...props} />
          {first.replyTo && (
            <QuotedMessage
              source={props.findMessage(first.replyTo)}
              loaded={props.quoted}
              messageId={first.replyTo}
              ownId={props.ownId}
              nameOf={props.nameOf}
              onShow={actions.showMessage}
            />
          )}
          <div className={joinClassNames(styles.frame, styles.tiles)}>
            {tiles.map((part, at) => {
              const isLast = at === tiles.length - 1
              return (
                <Tile
                  key={part.message._id}
                  {...props}
                  {...part}
                  quoted={at === 0 ? props.quoted : undefined}
                  isTabStop={props.isTabStop && isLast}
                  isHighlighted={
                    part.isHighlighted ||
                    (isLast && album.slice(tilesMax).some(({ isHighlighted }) => isHighlighted))
                  }
                  hidden={isLast ? hidden : 0}
                />
              )
            })}
            {last.content === '' && <div className={styles.over}>{meta}</div>}
          </div>
          {last.content !== '' && (
            <div className={styles.body} dir="auto" data-of-message={last._id}>
              <MessageText
                text={last.content}
                markQuery={props.markQuery}
                mentions={last.mentions}
                ownId={props.ownId}
                onMention={props.actions.showPerson}
              />
              {meta}
            </div>
          )}
        </div>
        {hovered && isSelected === undefined && (
          <div data-of-message={hovered.message._id}>
            <HoverActions
              message={hovered.message}
              isOwn={isOwn}
              canReact={hovered.canReact}
              actions={actions}
            />
          </div>
        )}
      </div>
      {album.map(({ message, canReact }) => (
        <MessageReactions key={message._id} {...props} message={message} canReact={canReact} />
      ))}
    </div>
  )
}

type TileProps = MessageProps & AlbumPart & { hidden: number }

function Tile(props: TileProps): ReactNode {
  const { message, isSelected, hidden } = props
  const isSelecting = isSelected !== undefined
  return (
    <article
      className={joinClassNames(
        styles.tile,
        isSelecting && styles.tileSelecting,
        isSelected && styles.tileSelected,
        props.isHighlighted && styles.tileHighlighted,
      )}
      data-message-id={message._id}
      tabIndex={props.isTabStop ? 0 : -1}
      aria-label={hidden > 0 ? `${labelMessage(props)}, and ${hidden} more` : labelMessage(props)}
    >
      {props.drawExtra(message, 'tile')}
      <span className={styles.chip}>{message.type === 'video' ? 'Video' : 'Image'}</span>
      {hidden > 0 && (
        <span className={styles.more} aria-hidden="true">
          +{hidden}
        </span>
      )}
      {isSelecting && (
        <input
          type="checkbox"
          className={styles.tileCheck}
          checked={isSelected}
          tabIndex={-1}
          aria-label="Select this message"
          readOnly
        />
      )}
    </article>
  )
}

/** What all of them have reached. */
function findLeastStatus(album: readonly AlbumPart[]) {
  const places = album.map(({ message }) => messageStatuses.indexOf(message.status))
  return messageStatuses[Math.min(...places)] ?? 'sent'
}
