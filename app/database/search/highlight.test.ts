import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { highlight } from './highlight.ts'
import { matchesQuery, parseQuery } from './search-query.ts'

function mark(text: string, query: string): string {
  let marked = ''
  let from = 0
  for (const { start, end } of highlight(text, query)) {
    marked += `${text.slice(from, start)}[${text.slice(start, end)}]`
    from = end
  }
  return marked + text.slice(from)
}

describe('highlighting marks', () => {
  test.each([
    ['the beginning of every word that fits', 'tom and Tomas', 'TOM', '[tom] and [Tom]as'],
    ['several words', 'see you tomorrow', 'tom se', '[se]e you [tom]orrow'],
    ['the longer one of two', 'tomorrow', 'to tomo', '[tomo]rrow'],
    ['a letter with its accents', 'un cafe\u0301 noir', 'cafe', 'un [cafe\u0301] noir'],
    ['a composed letter', 'Crème', 'creme', '[Crème]'],
    ['a ligature as a whole', 'ﬁne', 'f', '[ﬁ]ne'],
    ['ß by half', 'Straße', 'stras', '[Straß]e'],
    ['each place in a run', '北京和北京', '北京', '[北京]和[北京]'],
    ['neighbours as one', '哈哈哈', '哈', '[哈哈哈]'],
    ['characters outside the basic plane', '𠮷野家', '野', '𠮷[野]家'],
    ['an emoji with its skin', 'yes 👍🏽!', '👍', 'yes [👍🏽]!'],
    ['a joined emoji as a whole', '👨‍👩‍👧 us', '👩', '[👨‍👩‍👧] us'],
    ['a syllable of Korean', '한국', '하', '[한]국'],
    ['nothing for an empty query', 'hello', ' ', 'hello'],
  ])('%s', (_what, text, query, marked) => {
    expect(mark(text, query)).toBe(marked)
  })

  test('something in every text that a query finds', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 12 })
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (text, from, length) => {
        const query = text.slice(from % 6, (from % 6) + 1 + (length % 6))
        const ranges = highlight(text, query)
        if (matchesQuery(text, parseQuery(query))) expect(ranges).not.toEqual([])
        let last = -1
        for (const { start, end } of ranges) {
          expect(start).toBeGreaterThan(last)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(text.length)
          last = end
        }
      }),
    )
  })
})
