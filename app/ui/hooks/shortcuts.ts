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

/**
 * Every keyboard shortcut, once, and the keys that are listened to; without any, the field, list or message that has
 * the focus handles its key itself. None is a browser's own, but those for searching, which search the chat instead.
 */
export const shortcuts = {
  send: [],
  newLine: [],
  search: [
    { letter: 'f', isMain: true },
    { letter: 'k', isMain: true },
  ],
  results: [],
  newChat: [{ letter: 'n', isMain: true, isAlt: true }],
  nextChat: [{ key: 'ArrowDown', isAlt: true }],
  previousChat: [{ key: 'ArrowUp', isAlt: true }],
  mute: [{ letter: 'm', isMain: true, isAlt: true, isShift: true }],
  archive: [{ letter: 'e', isMain: true, isAlt: true, isShift: true }],
  read: [{ letter: 'u', isMain: true, isAlt: true, isShift: true }],
  settings: [{ code: 'Comma', isMain: true, isAlt: true }],
  help: [{ key: '?' }],
  move: [],
  chatActions: [],
  messageActions: [],
  undo: [],
  leave: [],
} as const satisfies Record<string, readonly Combination[]>

export type ShortcutName = keyof typeof shortcuts

type KeyPress = Pick<
  KeyboardEvent,
  'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'getModifierState'
>

/** Is this key press that shortcut? */
export function isShortcut(event: KeyPress, name: ShortcutName): boolean {
  const on: readonly Combination[] = shortcuts[name]
  // With AltGr, which also counts as Ctrl and Alt, people type letters.
  if (event.getModifierState('AltGraph')) return false
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
