import { isBlank } from '../../schema/helpers/text.ts'
import type { MessageDocument } from '../../schema/message.ts'
import { canForward } from '../database/commands/change-message.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import styles from './message.module.css'
import type { MessageActions } from './message-actions.ts'

interface HoverActionsProps {
  message: MessageDocument
  isOwn: boolean
  canReact: boolean
  actions: MessageActions
}

/** The mouse actions beside a bubble; the message's menu offers the same to the keyboard. */
export function HoverActions({ message, isOwn, canReact, actions }: HoverActionsProps) {
  const look = { isSmall: true, tabIndex: -1 }
  return (
    <div className={styles.actionsPlace}>
      <div className={styles.actions}>
        {canReact && (
          <IconButton
            {...look}
            icon="smile"
            label="React"
            onClick={({ currentTarget }) => {
              const { left, top } = currentTarget.getBoundingClientRect()
              actions.chooseReaction(message, { x: left, y: top })
            }}
          />
        )}
        <IconButton {...look} icon="reply" label="Reply" onClick={() => actions.reply(message)} />
        {!isBlank(message.content) && (
          <IconButton
            {...look}
            icon="copy"
            label="Copy"
            onClick={() => actions.copy(message.content)}
          />
        )}
        {canForward(message) && (
          <IconButton
            {...look}
            icon="forward"
            label="Forward"
            onClick={() => actions.forward(message)}
          />
        )}
        {isOwn && (
          <IconButton
            {...look}
            icon="trash"
            label="Delete"
            onClick={() => actions.remove(message)}
          />
        )}
      </div>
    </div>
  )
}
