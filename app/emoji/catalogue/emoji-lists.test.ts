import martData from '@emoji-mart/data/sets/15/all.json' with { type: 'json' }
import { expect, test } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import { searchEmoji } from '../picker/emoji-picker.tsx'
import { listSections } from './list-sections.ts'
import { loadEmojiData } from './load-emoji-data.ts'

const data = await loadEmojiData()
const everything = { skinTone: 0, suggestedMode: 'frequent' as const, canDraw: () => true }

function list(options: Partial<Parameters<typeof listSections>[1]> = {}) {
  return listSections(data, { recent: [], ...everything, ...options })
}

test('lists every category of emoji-mart completely, in the order of the specification', () => {
  const sections = list()
  expect(sections.map(({ name }) => name)).toEqual([
    'Smileys & People',
    'Animals & Nature',
    'Food & Drink',
    'Travel & Places',
    'Activities',
    'Objects',
    'Symbols',
    'Flags',
  ])
  const held = new Map(martData.categories.map(({ id, emojis }) => [id, emojis]))
  for (const { id, offered } of sections) {
    expect(offered.map(({ emoji }) => emoji.id)).toEqual(held.get(id))
  }
  expect(sections.flatMap(({ offered }) => offered)).toHaveLength(1870)
})

test.each([
  ['frequent', 'Frequently Used'],
  ['recent', 'Recently Used'],
] as const)(
  'what was picked comes first, %s, with the skin that it was picked with',
  (mode, name) => {
    const recent = [{ id: '1f44d-1f3fd', original: '1f44d', count: 1 }]
    const [first] = list({ recent, suggestedMode: mode })
    expect(first).toMatchObject({ name, offered: [{ emoji: { id: '+1' }, skin: 3 }] })
  },
)

test('omits picked emoji that this build no longer has', () => {
  const recent = [{ id: 'gone', original: 'gone', count: 9 }]
  expect(list({ recent })[0]?.name).toBe('Smileys & People')
})

test('applies a skin tone to emoji that have one', () => {
  const [people] = list({ skinTone: 5 })
  const skinOf = (id: string) => people?.offered.find(({ emoji }) => emoji.id === id)?.skin
  expect([skinOf('+1'), skinOf('grinning')]).toEqual([5, 0])
})

test('omits emoji that cannot be drawn, and empty categories', () => {
  const names = list({ canDraw: ({ id }) => id === 'pizza' }).map(({ name }) => name)
  expect(names).toEqual(['Food & Drink'])
})

test('finds by name, keyword and emoticon', async () => {
  const find = async (words: string) => (await searchEmoji(data, words))?.map(({ id }) => id) ?? []
  expect((await find('thumbsup'))[0]).toBe('+1')
  expect(await find('party')).toContain('tada')
  expect(await find(':d')).toContain('smile')
  expect(await find('no such thing')).toEqual([])
})

test('finds each emoji by its own name', async () => {
  for (const id of ['joy', 'heart', 'pray', 'rage', 'cry', 'de', 'pizza']) {
    const name = must(data.get(id), id).name
    const found = await searchEmoji(data, name)
    expect(found?.map((emoji) => emoji.id)).toContain(id)
  }
})

test('trims and lower-cases the query; one character or less is no search', async () => {
  expect(await searchEmoji(data, '  HEART ')).toEqual(await searchEmoji(data, 'heart'))
  for (const few of ['', ' ', 'a', ' a ', '🎉'])
    expect(await searchEmoji(data, few)).toBeUndefined()
})
