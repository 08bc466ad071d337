import { expect, test } from 'vitest'
import { countAlone, isEmoji } from './emoji.ts'

const whole = [
  '👍',
  '👍🏽',
  '❤️',
  '❤',
  '👨‍👩‍👧‍👦',
  '🏳️‍🌈',
  '🇩🇪',
  '🏴󠁧󠁢󠁳󠁣󠁴󠁿',
  '3️⃣',
  '#️⃣',
  '🫨',
  '👩🏽‍🚀',
  '☺️',
  '©️',
]

test.each(whole)('%s is one emoji', (emoji) => {
  expect(isEmoji(emoji)).toBe(true)
  expect(countAlone(emoji)).toBe(1)
})

test.each([
  '',
  ' ',
  'a',
  '1',
  '12',
  '#',
  '*',
  '👍👍',
  '👍 ',
  'a👍',
  '<b>',
  '\u200d',
  '👍'.repeat(50),
])('%j is not one emoji', (text) => {
  expect(isEmoji(text)).toBe(false)
})

test.each([
  ['👍🏽❤️', 2],
  [' 😀 😀\n😀 ', 3],
  ['🇩🇪🇫🇷', 2],
  ['👨‍👩‍👧‍👦👍🏽🏳️‍🌈', 3],
  ['😀😀😀😀', 0],
  ['😀!', 0],
  ['10', 0],
  ['', 0],
])('%j is %i emoji alone', (text, count) => {
  expect(countAlone(text)).toBe(count)
})

test('a long text is told quickly', () => {
  expect(countAlone('😀'.repeat(30_000))).toBe(0)
  expect(countAlone(`😀${' '.repeat(60_000)}x`)).toBe(0)
})
