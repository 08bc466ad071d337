import type { ShortcutName } from '../hooks/shortcuts.ts'

interface ShortcutWords {
  does: string
  /** As people read it. */
  keys: string
}

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
