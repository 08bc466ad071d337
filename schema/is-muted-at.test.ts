import { expect, test } from 'vitest'
import { isMutedAt, mergeConversations, newConversation } from './conversation.ts'

const ben = '0190a000-0000-7000-8000-00000000000b'
const muted = (isMutedAt: number, mutedUntil?: number) => ({
  ...newConversation(ben),
  isMuted: true,
  isMutedAt,
  ...(mutedUntil !== undefined && { mutedUntil }),
})

test('a muting without an end never ends, and one with an end is over at that moment', () => {
  expect(isMutedAt(newConversation(ben), 0)).toBe(false)
  expect(isMutedAt(muted(1), Number.MAX_SAFE_INTEGER)).toBe(true)
  expect(isMutedAt(muted(1, 50), 49)).toBe(true)
  expect(isMutedAt(muted(1, 50), 50)).toBe(false)
})

test('P5: the end of a muting goes with the muting: a later change brings its own, or none', () => {
  const later = { ...newConversation(ben), isMuted: false, isMutedAt: 3 }
  for (const [a, b] of [
    [muted(1, 50), muted(2, 20)],
    [muted(2, 20), muted(1, 50)],
  ] as const) {
    expect(mergeConversations(a, b)).toMatchObject({ mutedUntil: 20, isMutedAt: 2 })
    expect(mergeConversations(a, muted(3))).not.toHaveProperty('mutedUntil')
    expect(mergeConversations(a, later)).not.toHaveProperty('mutedUntil')
  }
})

test('P5: an older app that pushes back what it stored without the end does not lose it', () => {
  expect(mergeConversations(muted(1, 50), { ...muted(1), isPinned: true, isPinnedAt: 9 })).toEqual({
    ...muted(1, 50),
    isPinned: true,
    isPinnedAt: 9,
  })
})
