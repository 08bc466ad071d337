import { useEffect, useState } from 'react'
import type { Messenger } from '../sync/messenger-types.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import type { Channel, ChannelWish } from './channel.ts'
import styles from './channel-bar.module.css'
import { describeWindow, type WindowState } from './describe-window.ts'

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

/** Why nothing can be written to customers, whatever the 24 hours say; undefined without a reason. */
export function findObstacle({
  isLinked,
  isOff,
}: Pick<Channel, 'isLinked' | 'isOff'>): WindowState | undefined {
  if (isOff) {
    // What is sent stays in the server's outbox.
    const words = "This server isn't connected to WhatsApp. Your messages wait until it is."
    return { kind: 'closed', words }
  }
  if (isLinked) return undefined
  return { kind: 'closed', words: "WhatsApp isn't linked. Link it to write to customers." }
}

/**
 * How long the operator can still write freely to a customer, counted down on the device; undefined
 * until loaded.
 */
function useWindow(messenger: Messenger, peerId: string): WindowState | undefined {
  const [state, setState] = useState<WindowState>()
  useEffect(() => {
    const { conversations, findLastInboundAt } = messenger
    const findRow = () => conversations.getSnapshot().find((row) => row.peerId === peerId)
    const watch: { row?: unknown; timer?: ReturnType<typeof setTimeout>; isOver?: boolean } = {}

    function count(lastInboundAt: number | undefined) {
      clearTimeout(watch.timer)
      const now = messenger.now()
      const next = describeWindow({ lastInboundAt, now })
      setState((before) => (before?.words === next.words ? before : next))
      // A timer may fire early, or late after sleep: each starts the next one.
      if ('changesAt' in next) {
        watch.timer = setTimeout(() => count(lastInboundAt), next.changesAt - now)
      }
    }

    function read() {
      watch.row = findRow()
      findLastInboundAt(peerId).then(
        (lastInboundAt) => {
          if (!watch.isOver) count(lastInboundAt)
        },
        // A failed read is retried with the next message; nothing else depends on the words.
        () => {},
      )
    }

    read()
    // The row changes with every message.
    const unsubscribe = conversations.subscribe(() => {
      if (findRow() !== watch.row) read()
    })
    return () => {
      watch.isOver = true
      clearTimeout(watch.timer)
      unsubscribe()
    }
  }, [messenger, peerId])
  return state
}
