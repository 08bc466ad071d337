import { expect, test } from 'vitest'
import { cutSnippet } from './search-results.tsx'

const cutAt = (text: string, word: string) => {
  const start = text.indexOf(word)
  const snippet = cutSnippet(text, [{ start, end: start + word.length }])
  const marked = snippet.marks.map((mark) => snippet.text.slice(mark.start, mark.end))
  return { text: snippet.text, marked }
}

test('a short text stays whole, on one line', () => {
  expect(cutAt('rope,\ntwo lamps', 'lamps')).toEqual({ text: 'rope, two lamps', marked: ['lamps'] })
})

test('a long text starts a few words before the match', () => {
  expect(cutAt(`${'word '.repeat(50)}here is the tarp`, 'tarp')).toEqual({
    text: '…word here is the tarp',
    marked: ['tarp'],
  })
})

test('a text without spaces is cut at the match', () => {
  expect(cutAt(`${'x'.repeat(200)}tarp`, 'tarp')).toEqual({ text: '…tarp', marked: ['tarp'] })
})

test('without a match the start remains', () => {
  expect(cutSnippet('hello', [])).toEqual({ text: 'hello', marks: [] })
})
