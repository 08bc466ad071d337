import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { formatBadge } from '../../ui/format/format-badge.ts'
import styles from '../styles/conversation.module.css'

interface JumpButtonProps {
  /** The number of the other person's unseen messages. */
  newCount: number
  /** `isInside`: the button has the focus, which it loses when it disappears. */
  onJump(isInside: boolean): void
}

export function JumpButton({ newCount, onJump }: JumpButtonProps) {
  const label =
    newCount > 0 ? `Go to the newest message, ${newCount} new` : 'Go to the newest message'
  return (
    <div className={styles.jumpPlace}>
      <IconButton
        className={styles.jump}
        icon="down"
        label={label}
        // The field keeps the focus, and a phone's keyboard stays open.
        onPointerDown={(event) => event.preventDefault()}
        onClick={({ currentTarget }) => onJump(currentTarget === document.activeElement)}
      />
      {newCount > 0 && (
        <span className={styles.jumpCount} aria-hidden="true">
          {formatBadge(newCount)}
        </span>
      )}
    </div>
  )
}
