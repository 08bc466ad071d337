import type { MessageDocument } from '../../schema/message.ts'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import { groupReactions } from './group-reactions.ts'
import type { MessageActions } from './message-actions.ts'
import styles from './message-reactions.module.css'

interface MessageReactionsProps {
  message: MessageDocument
  ownId: string
  peerName: string
  canReact: boolean
  actions: MessageActions
}

/**
 * The reactions under a bubble, and who gave them. A click adds the same one, or removes the own
 * one.
 */
export function MessageReactions(props: MessageReactionsProps) {
  const { message, ownId, peerName, canReact, actions } = props
  const groups = groupReactions(message.reactions, { ownId, peerName })
  if (groups.length === 0) return null
  return (
    <div className={styles.reactions}>
      {groups.map(({ emoji, names, isOwn }) => (
        <button
          key={emoji}
          type="button"
          className={styles.reaction}
          tabIndex={-1}
          disabled={!canReact}
          aria-pressed={isOwn}
          aria-label={`${emoji} ${names}`}
          onClick={() => actions.toggleReaction(message, emoji)}
        >
          <span className={joinClassNames(styles.reactionPill, isOwn && styles.ownReaction)}>
            <span className={styles.reactionEmoji}>{emoji}</span>
            <span className={styles.reactionNames}>{names}</span>
          </span>
        </button>
      ))}
    </div>
  )
}
