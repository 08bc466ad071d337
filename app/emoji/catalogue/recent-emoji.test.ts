import { expect, test } from 'vitest'
import { readRecentEmoji, recordRecentEmoji } from './recent-emoji.ts'

function createKept(text?: string) {
  const kept = new Map<string, string>(text === undefined ? [] : [['recentEmojis', text]])
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
}

test('stores a picked emoji with its code, the code without a skin tone, and a count', () => {
  const kept = createKept()
  recordRecentEmoji({ id: '1f44d-1f3fd', original: '1f44d' }, kept)
  recordRecentEmoji({ id: '1f44d-1f3fd', original: '1f44d' }, kept)
  expect(JSON.parse(kept.getItem('recentEmojis') ?? '')).toEqual([
    { id: '1f44d-1f3fd', original: '1f44d', count: 2 },
  ])
})

test('sorts the list by count, or by time', () => {
  const kept = createKept()
  for (const id of ['a', 'b', 'a', 'c']) recordRecentEmoji({ id, original: id }, kept)
  expect(readRecentEmoji('frequent', kept).map(({ id }) => id)).toEqual(['a', 'c', 'b'])
  expect(readRecentEmoji('recent', kept).map(({ id }) => id)).toEqual(['c', 'a', 'b'])
})

test('keeps at most fourteen, and evicts the least recently picked', () => {
  const kept = createKept()
  for (let n = 0; n < 20; n++) recordRecentEmoji({ id: `${n}`, original: `${n}` }, kept)
  const ids = readRecentEmoji('recent', kept).map(({ id }) => id)
  expect(ids).toEqual(Array.from({ length: 14 }, (_, n) => `${19 - n}`))
})

test.each(['', '{', '{}', '[{"id":1}]', '[{"id":"a","original":"a","count":0}]'])(
  'what cannot be read counts as nothing: %s',
  (text) => {
    expect(readRecentEmoji('frequent', createKept(text))).toEqual([])
  },
)

test('full storage loses the record, and nothing else', () => {
  const full = {
    getItem: () => null,
    setItem() {
      throw new Error('QuotaExceededError')
    },
  }
  recordRecentEmoji({ id: 'a', original: 'a' }, full)
  expect(readRecentEmoji('frequent', full)).toEqual([])
})
