import { expect, test } from 'vitest'
import { listShortcuts } from '../../settings/settings-row.tsx'
import { isShortcut, type ShortcutName, shortcuts } from './shortcuts.ts'

function press(key: string, code: string, modifiers = ''): Parameters<typeof isShortcut>[0] {
  return {
    key,
    code,
    ctrlKey: modifiers.includes('ctrl'),
    metaKey: modifiers.includes('meta'),
    altKey: modifiers.includes('alt'),
    shiftKey: modifiers.includes('shift'),
    getModifierState: (name) => name === 'AltGraph' && modifiers.includes('graph'),
  }
}

const names = Object.keys(shortcuts) as ShortcutName[]
const find = (...given: Parameters<typeof press>) =>
  names.filter((name) => isShortcut(press(...given), name))

test.each([
  ['f', 'KeyF', 'ctrl', 'search'],
  ['k', 'KeyK', 'meta', 'search'],
  ['а', 'KeyF', 'ctrl', 'search'],
  ['n', 'KeyN', 'ctrl alt', 'newChat'],
  ['ArrowDown', 'ArrowDown', 'alt', 'nextChat'],
  ['ArrowUp', 'ArrowUp', 'alt', 'previousChat'],
  ['M', 'KeyM', 'ctrl alt shift', 'mute'],
  ['E', 'KeyE', 'ctrl alt shift', 'archive'],
  ['U', 'KeyU', 'ctrl alt shift', 'read'],
  [',', 'Comma', 'ctrl alt', 'settings'],
  ['?', 'Slash', 'shift', 'help'],
])('%s (%s) with %s is the shortcut %s, and no other', (key, code, modifiers, name) => {
  expect(find(key, code, modifiers)).toEqual([name])
})

test.each([
  ['n', 'KeyN', 'ctrl'],
  ['ArrowDown', 'ArrowDown', ''],
  ['ArrowDown', 'ArrowDown', 'alt shift'],
  ['F', 'KeyF', 'ctrl shift'],
  ['n', 'KeyN', 'ctrl alt graph'],
  ['?', 'Slash', 'ctrl shift'],
])('%s (%s) with %s belongs to the browser or to the text', (key, code, modifiers) => {
  expect(find(key, code, modifiers)).toEqual([])
})

test('the list says what the Enter key does as it is set', () => {
  const keysOf = (sendsOnEnter: boolean, does: string) =>
    listShortcuts(sendsOnEnter).find((each) => each.does === does)?.keys
  expect([keysOf(true, 'Send'), keysOf(true, 'New line')]).toEqual(['Enter', 'Shift + Enter'])
  expect([keysOf(false, 'Send'), keysOf(false, 'New line')]).toEqual(['Ctrl + Enter', 'Enter'])
  expect(listShortcuts(false)).toHaveLength(listShortcuts(true).length)
})
