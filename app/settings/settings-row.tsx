import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { useSendsOnEnter } from '../ui/hooks/kept-settings.ts'
import type { ShortcutName } from '../ui/hooks/shortcuts.ts'
import { Icon } from '../ui/icons/icon.tsx'
import type { IconName } from '../ui/icons/icon-paths.ts'
import styles from './settings.module.css'

/** Every shortcut in words, apart from the keys, which the first screen listens to. */
const shortcutWords: Record<ShortcutName, ShortcutWords> = {
  send: { keys: 'Enter', does: 'Send' },
  newLine: { keys: 'Shift + Enter', does: 'New line' },
  search: { keys: 'Ctrl + F or Ctrl + K', does: 'Search in the open chat' },
  results: { keys: 'F3 and Shift + F3', does: 'Next and previous result' },
  newChat: { keys: 'Ctrl + Alt + N', does: 'Search all chats or start a new one' },
  nextChat: { keys: 'Alt + Arrow down', does: 'Next chat' },
  previousChat: { keys: 'Alt + Arrow up', does: 'Previous chat' },
  mute: { keys: 'Ctrl + Alt + Shift + M', does: 'Mute or unmute the chat' },
  archive: { keys: 'Ctrl + Alt + Shift + E', does: 'Archive or unarchive the chat' },
  read: { keys: 'Ctrl + Alt + Shift + U', does: 'Mark the selected chat as read' },
  settings: { keys: 'Ctrl + Alt + ,', does: 'Open the settings' },
  help: { keys: '?', does: 'Show these shortcuts' },
  move: { keys: 'Arrow keys, Home, End', does: 'Move between chats and messages' },
  chatActions: { keys: 'Arrow right on a chat', does: 'Open chat actions' },
  messageActions: { keys: 'Enter on a message', does: 'Open message actions' },
  undo: { keys: 'Ctrl + Z', does: 'Undo deleting or archiving' },
  leave: { keys: 'Escape', does: 'Leave search, selection, reply or menu' },
}

type SettingsRowProps = {
  icon: IconName
  name: string
  /** A short description. */
  children: ReactNode
} & ({ to: string; isCurrent?: boolean } | { onClick(): void })

/** One row of the settings: leads to a page, or does something here. */
export function SettingsRow({ icon, name, children, ...use }: SettingsRowProps) {
  const inside = (
    <>
      <Icon name={icon} />
      <span className={styles.words}>
        <span>{name}</span>
        <small>{children}</small>
      </span>
    </>
  )
  if ('onClick' in use) {
    return (
      <button type="button" className={styles.link} onClick={use.onClick}>
        {inside}
      </button>
    )
  }
  return (
    <Link
      className={styles.link}
      to={use.to}
      aria-current={use.isCurrent ? 'page' : undefined}
      // Beside its section the list stays: one step back leaves them all.
      replace={use.isCurrent}
    >
      {inside}
      <Icon name="right" size={18} />
    </Link>
  )
}

interface FactListProps {
  facts: readonly { name: string; about: string }[]
}

export function FactList({ facts }: FactListProps) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, about }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{about}</dd>
        </div>
      ))}
    </dl>
  )
}

export function ShortcutList() {
  const sendsOnEnter = useSendsOnEnter()
  return (
    <dl className={styles.keys}>
      {listShortcuts(sendsOnEnter).map(({ keys, does }) => (
        <div key={keys}>
          <dt>{does}</dt>
          <dd>{keys}</dd>
        </div>
      ))}
    </dl>
  )
}

interface ShortcutWords {
  does: string
  /** As people read it. */
  keys: string
}

/** The list that people read: Send and New line depend on what the Enter key does. */
export function listShortcuts(sendsOnEnter: boolean): ShortcutWords[] {
  const { send, newLine, ...others } = shortcutWords
  if (sendsOnEnter) return [send, newLine, ...Object.values(others)]
  return [
    { ...send, keys: 'Ctrl + Enter' },
    { ...newLine, keys: 'Enter' },
    ...Object.values(others),
  ]
}
