import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findMentions, isMentioned, pickMentions } from './mentions.ts'

const ann = '0190a000-0000-7000-8000-00000000000a'
const ben = '0190a000-0000-7000-8000-00000000000b'
const idOf = (number: number) => `0190a000-0000-7000-8000-${String(number).padStart(12, '0')}`

const people = [
  { userId: ann, name: 'Ann' },
  { userId: ben, name: 'Ben' },
]
const find = (text: string, names = ['Ann', 'Ben']) =>
  findMentions(
    text,
    names.map((name, at) => ({ userId: idOf(at), name })),
  ).map(({ start, end }) => text.slice(start, end))

test.each([
  ['@Ann', ['@Ann']],
  ['hello @Ann, and @Ben!', ['@Ann', '@Ben']],
  ['(@Ann) “@Ben”', ['@Ann', '@Ben']],
  ['@Ann@Ben', ['@Ann']],
  ["@Ann's boat", ['@Ann']],
  ['*@Ann* _@Ben_', ['@Ann', '@Ben']],
  ['cc:@Ann', ['@Ann']],
  ['@Ann\n@Ben', ['@Ann', '@Ben']],
  ['@Ann.', ['@Ann']],
  ['你好@Ann', ['@Ann']],
])('%s names members', (text, found) => {
  expect(find(text)).toEqual(found)
})

test.each([
  'Ann',
  '@ Ann',
  '@ann',
  '@Annabel',
  '@Ann_b',
  '@Ann.b',
  '@Ann\u0301',
  'post@Ann',
  'a.b@Ann',
  'https://a.example/@Ann',
  '@Cem',
  '@',
])('%s names nobody', (text) => {
  expect(find(text)).toEqual([])
})

test('of names that begin alike the longest counts', () => {
  expect(find('@Ann Marie and @Ann', ['Ann', 'Ann Marie'])).toEqual(['@Ann Marie', '@Ann'])
  expect(find('@Ann Marie', ['Ann'])).toEqual(['@Ann'])
})

test('names of any script, with spaces, signs and digits', () => {
  for (const name of ['נועה לוי', 'عمر', '小明', 'ปลา', 'Ann O.', 'a-b_c', '7 of 9', 'Zoë']) {
    expect(find(`hello @${name} there`, [name])).toEqual([`@${name}`])
    expect(find(`@${name}`, [name])).toEqual([`@${name}`])
  }
})

test('each name goes with the text once', () => {
  expect(pickMentions('@Ben @Ann @Ben', people)).toEqual([people[1], people[0]])
})

test('somebody who was renamed is found by both names', () => {
  const both = [
    { userId: ann, name: 'Ann' },
    { userId: ann, name: 'Anna' },
  ]
  expect(pickMentions('@Anna', both)).toEqual([both[1]])
  expect(pickMentions('@Ann @Anna', both)).toEqual(both)
})

test('an id whose name does not stand in the text mentions nobody', () => {
  expect(isMentioned({ content: 'hi @Ann', mentions: people }, ann)).toBe(true)
  expect(isMentioned({ content: 'hi @Ann', mentions: people }, ben)).toBe(false)
  expect(isMentioned({ content: 'hi @Ann' }, ann)).toBe(false)
  expect(isMentioned({ content: '', mentions: people }, ann)).toBe(false)
})

test('found ranges are in order, apart, and say an @ and the name', () => {
  const name = fc.constantFrom('Ann', 'Ann Marie', 'a', '_', 'נועה', '😀', '.')
  const word = fc.oneof(name, fc.constantFrom('@', ' ', '_', '.', 'x', '\n'))
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 12 }),
      fc.array(name, { maxLength: 4 }),
      (words, names) => {
        const text = words.join('')
        const known = names.map((each, at) => ({ userId: idOf(at), name: each }))
        const found = findMentions(text, known)
        let last = 0
        for (const { start, end, name: said, userId } of found) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(text.slice(start, end)).toBe(`@${said}`)
          expect(known.some((one) => one.name === said && one.userId === userId)).toBe(true)
          last = end
        }
        // What goes with the text is enough to find the same in it.
        const again = findMentions(text, pickMentions(text, known))
        expect(again.map(({ start, end }) => [start, end])).toEqual(
          found.map(({ start, end }) => [start, end]),
        )
      },
    ),
    { numRuns: 2_000 },
  )
})
