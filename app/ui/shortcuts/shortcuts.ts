/** A combination of keys. `letter`: the key's Latin letter, or the one at its place. */
interface Combination {
  letter?: string
  key?: string
  code?: string
  /** Ctrl, or Cmd on a Mac. */
  isMain?: boolean
  isAlt?: boolean
  isShift?: boolean
}

interface Shortcut {
  does: string
  /** As people read it. */
  keys: string
  /** Without one, the field, list or message that has the focus handles its key itself. */
  on?: readonly Combination[]
}

/**
 * Every keyboard shortcut, once: the list that people read, and the keys that are listened to.
 * None is a browser's own, but those for searching, which search the chat instead.
 */
export const shortcuts = {
  send: { keys: 'Enter', does: 'Send' },
  newLine: { keys: 'Shift + Enter', does: 'New line' },
  search: {
    keys: 'Ctrl + F or Ctrl + K',
    does: 'Search in the open chat',
    on: [
      { letter: 'f', isMain: true },
      { letter: 'k', isMain: true },
    ],
  },
  results: { keys: 'F3 and Shift + F3', does: 'Next and previous result' },
  newChat: {
    keys: 'Ctrl + Alt + N',
    does: 'Search all chats or start a new one',
    on: [{ letter: 'n', isMain: true, isAlt: true }],
  },
  nextChat: {
    keys: 'Alt + Arrow down',
    does: 'Next chat',
    on: [{ key: 'ArrowDown', isAlt: true }],
  },
  previousChat: {
    keys: 'Alt + Arrow up',
    does: 'Previous chat',
    on: [{ key: 'ArrowUp', isAlt: true }],
  },
  mute: {
    keys: 'Ctrl + Alt + Shift + M',
    does: 'Mute or unmute the chat',
    on: [{ letter: 'm', isMain: true, isAlt: true, isShift: true }],
  },
  archive: {
    keys: 'Ctrl + Alt + Shift + E',
    does: 'Archive or unarchive the chat',
    on: [{ letter: 'e', isMain: true, isAlt: true, isShift: true }],
  },
  read: {
    keys: 'Ctrl + Alt + Shift + U',
    does: 'Mark the selected chat as read',
    on: [{ letter: 'u', isMain: true, isAlt: true, isShift: true }],
  },
  settings: {
    keys: 'Ctrl + Alt + ,',
    does: 'Open the settings',
    on: [{ code: 'Comma', isMain: true, isAlt: true }],
  },
  help: { keys: '?', does: 'Show these shortcuts', on: [{ key: '?' }] },
  move: { keys: 'Arrow keys, Home, End', does: 'Move between chats and messages' },
  chatActions: { keys: 'Arrow right on a chat', does: 'Open chat actions' },
  messageActions: { keys: 'Enter on a message', does: 'Open message actions' },
  undo: { keys: 'Ctrl + Z', does: 'Undo deleting or archiving' },
  leave: { keys: 'Escape', does: 'Leave search, selection, reply or menu' },
} as const satisfies Record<string, Shortcut>

/** The list that people read: Send and New line depend on what the Enter key does. */
export function listShortcuts(sendsOnEnter: boolean): Pick<Shortcut, 'does' | 'keys'>[] {
  if (sendsOnEnter) return Object.values(shortcuts)
  const { send, newLine, ...others } = shortcuts
  return [
    { ...send, keys: 'Ctrl + Enter' },
    { ...newLine, keys: 'Enter' },
    ...Object.values(others),
  ]
}

export type ShortcutName = keyof typeof shortcuts

type KeyPress = Pick<
  KeyboardEvent,
  'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'getModifierState'
>

/** Is this key press that shortcut? */
export function isShortcut(event: KeyPress, name: ShortcutName): boolean {
  const { on }: Shortcut = shortcuts[name]
  // With AltGr, which also counts as Ctrl and Alt, people type letters.
  if (!on || event.getModifierState('AltGraph')) return false
  return on.some((each) => isPressed(event, each))
}

function isPressed(event: KeyPress, each: Combination): boolean {
  const isMain = event.ctrlKey || event.metaKey
  if (isMain !== (each.isMain ?? false) || event.altKey !== (each.isAlt ?? false)) return false
  // Some layouts need Shift for a sign.
  if (each.key !== '?' && event.shiftKey !== (each.isShift ?? false)) return false
  if (each.letter !== undefined) return readLetter(event) === each.letter
  return each.code === undefined ? event.key === each.key : event.code === each.code
}

/** A key's Latin letter; on other layouts, the letter at that key's position. */
function readLetter({ key, code }: KeyPress): string {
  const isLatin = /^[a-z]$/i.test(key)
  return (isLatin ? key : code.replace(/^Key/, '')).toLowerCase()
}
