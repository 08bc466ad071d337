import type { ReactNode } from 'react'
import { messageStatuses } from '../../schema/message.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import {
  type AlbumPart,
  AuthorName,
  labelMessage,
  MessageMeta,
  type MessageProps,
  QuotedMessage,
} from './bubble-parts.tsx'
import { HoverActions } from './hover-actions.tsx'
import styles from './message.module.css'
import { MessageReactions } from './message-reactions.tsx'
import { MessageText } from './message-text.tsx'

/** The number of tiles; the last one counts what has none. */
const tilesMax = 4

/**
 * Pictures and videos sent together, in one bubble: two beside each other, one large and two small,
 * or four. Each tile is the message itself, for the keyboard, the menu, selection and screen readers.
 */
export function Album(props: MessageProps & { album: readonly AlbumPart[] }) {
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
