import type { MessageDocument } from '../../schema/message.ts'
import { listReactions, type Reactions } from '../../schema/reaction.ts'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import type { MessageActions } from './message-actions.ts'
import messageReactionsStyles from './message-reactions.module.css'

interface MessageReactionsProps {
  message: MessageDocument
  ownId: string
  nameOf(userId: string): string
  canReact: boolean
  actions: MessageActions
}

/** One given this recently pops; a row that is drawn again later does not. */
const freshMs = 3_000

/**
 * The reactions under a bubble, and who gave them. A click adds the same one, or removes the own
 * one.
 */
export function MessageReactions(props: MessageReactionsProps) {
  const { message, ownId, nameOf, canReact, actions } = props
  const groups = groupReactions(message.reactions, { ownId, nameOf })
  if (groups.length === 0) return null
  return (
    <div className={messageReactionsStyles.reactions}>
      {groups.map(({ emoji, names, isOwn, count, at }) => (
        <button
          key={emoji}
          type="button"
          className={messageReactionsStyles.reaction}
          tabIndex={-1}
          disabled={!canReact}
          aria-pressed={isOwn}
          aria-label={`${emoji} ${names}`}
          data-tooltip={names}
          onClick={() => actions.toggleReaction(message, emoji)}
        >
          <span
            className={joinClassNames(
              messageReactionsStyles.reactionPill,
              isOwn && messageReactionsStyles.ownReaction,
              Math.abs(Date.now() - at) < freshMs && messageReactionsStyles.fresh,
            )}
          >
            <span className={messageReactionsStyles.reactionEmoji}>{emoji}</span>
            {count > 1 && <span>{count}</span>}
          </span>
        </button>
      ))}
    </div>
  )
}

interface ReactionGroup {
  emoji: string
  /** Who reacted with it: `Ben`, `You`, or both. */
  names: string
  count: number
  /** When it was last given, epoch ms. */
  at: number
  isOwn: boolean
}

/**
 * The reactions under a message: each emoji once, with everybody who chose it, the earliest first.
 */
export function groupReactions(
  reactions: Reactions | undefined,
  { ownId, nameOf }: Pick<MessageReactionsProps, 'ownId' | 'nameOf'>,
): ReactionGroup[] {
  const groups = new Map<string, ReactionGroup>()
  for (const { userId, emoji, at } of listReactions(reactions)) {
    const name = userId === ownId ? 'You' : nameOf(userId)
    const before = groups.get(emoji)
    groups.set(emoji, {
      emoji,
      names: before ? `${before.names}, ${name}` : name,
      count: (before?.count ?? 0) + 1,
      at: Math.max(at, before?.at ?? 0),
      isOwn: userId === ownId || before?.isOwn === true,
    })
  }
  return [...groups.values()]
}
