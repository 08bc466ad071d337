import { expect, test } from 'vitest'
import { findSettings, settingsPages } from './settings-sections.ts'

test('without a query all rows are there, as they are', () => {
  const found = findSettings('  ')
  expect(found.size).toBe(settingsPages.length + 2)
  expect([...found.values()].every((by) => by === undefined)).toBe(true)
})

test.each([
  ['privacy', { privacy: undefined }],
  ['DARK', { chats: 'Theme: light or dark' }],
  ['receipts', { privacy: 'Read receipts' }],
  ['quick', { shortcuts: 'Quick actions' }],
  ['nothing like it', {}],
])('%j finds the row, and what it was found by', (query, rows) => {
  expect(Object.fromEntries(findSettings(query))).toEqual(rows)
})
