import type { Messenger } from '../../sync/messenger-types.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import type { Channel } from './channel.ts'
import styles from './channel-bar.module.css'
import type { ChannelWish } from './channel-wish.ts'
import { findObstacle } from './find-obstacle.ts'
import { useWindow } from './use-window.ts'

interface ChannelBarProps {
  messenger: Messenger
  peerId: string
  channel: Channel
  labels: readonly string[]
  onWish(wish: ChannelWish): void
}

/** Shown under the header of a chat with a customer: the sandbox, the 24 hours, the labels. */
export function ChannelBar({ messenger, peerId, channel, labels, onWish }: ChannelBarProps) {
  const counted = useWindow(messenger, peerId)
  const obstacle = findObstacle(channel)
  const state = obstacle ?? counted
  return (
    <section
      className={joinClassNames(styles.bar, state && state.kind !== 'open' && styles[state.kind])}
      aria-label="WhatsApp"
    >
      {channel.isSandbox && (
        <p className={styles.sandbox} title="Messages go to an emulator and reach no real phone">
          Sandbox: reaches no real phone
        </p>
      )}
      {/* Announced only when the state changes, not each minute. */}
      <p className={styles.words} role="timer">
        {state && (
          <>
            <Icon name={state.kind === 'closed' ? 'lock' : 'clock'} size={16} />
            {state.words}
          </>
        )}
      </p>
      {state?.kind === 'closed' && !obstacle && (
        <button type="button" onClick={() => onWish({ kind: 'templates' })}>
          Send a template
        </button>
      )}
      <button
        type="button"
        className={styles.labels}
        aria-label={labels.length === 0 ? 'Add a label' : `Labels: ${labels.join(', ')}`}
        onClick={() => onWish({ kind: 'labels' })}
      >
        <Icon name="tag" size={16} />
        {labels.length === 0
          ? 'Label'
          : labels.map((label) => (
              <span key={label} dir="auto">
                {label}
              </span>
            ))}
      </button>
    </section>
  )
}
