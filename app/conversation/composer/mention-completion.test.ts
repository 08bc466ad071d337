import { expect, test } from 'vitest'
import { findBegunName, rankByName } from './write-area.tsx'

const find = (text: string) => findBegunName(text, text.length)

test.each([
  ['@', '', 0],
  ['hello @', '', 6],
  ['hello @an', 'an', 6],
  ['@Ann Ma', 'Ann Ma', 0],
  ['(@נו', 'נו', 1],
  ['你好@A', 'A', 2],
])('%s begins a name', (text, name, start) => {
  expect(find(text)).toEqual({ name, start, end: text.length })
})

test.each([
  '',
  'ann',
  '@Ann ',
  'meet @ 5',
  'post@ann',
  'a.b@ann',
  '@ann\n',
  'https://a.example/@a',
])('%s begins none', (text) => {
  expect(find(text)).toBeUndefined()
})

test('what follows the cursor counts for nothing', () => {
  expect(findBegunName('@an and more', 3)).toEqual({ name: 'an', start: 0, end: 3 })
})

test('members are found by the beginning of any word, without accents or case', () => {
  const people = ['Zoë', 'ann', 'Marie Ann', 'Annabel', 'Ben'].map((username) => ({ username }))
  const names = (begun: string) => rankByName(people, begun).map(({ username }) => username)
  expect(names('')).toEqual(['ann', 'Annabel', 'Ben', 'Marie Ann', 'Zoë'])
  expect(names('AN')).toEqual(['ann', 'Annabel', 'Marie Ann'])
  expect(names('zoe')).toEqual(['Zoë'])
  expect(names('marie a')).toEqual(['Marie Ann'])
  expect(names('nn')).toEqual([])
})
