import { describe, expect, test } from 'vitest'
import { isSearchable, matchesQuery, parseQuery } from './search-query.ts'

describe('a message is found', () => {
  test.each([
    ['by the beginning of a word', 'See you tomorrow', 'tom'],
    ['by several words in any order', 'See you tomorrow', 'tom se'],
    ['without its accents', 'Une crème brûlée', 'brulee'],
    ['by a number', 'Room 4021, third floor', '402'],
    ['by a part of an address', 'mail ann@example.org', 'exam'],
    ['by what comes after an apostrophe', "l'amour", 'amour'],
    ['in Chinese', '我明天去北京大学', '北京'],
    ['in Chinese, by any part of it', '我明天去北京大学', '大学'],
    ['in Chinese, by one character', '我明天去北京大学', '京'],
    ['in Japanese', 'カラオケに行きましょう', '行き'],
    ['in half-width Japanese', 'ｶﾗｵｹに行きましょう', 'カラオケ'],
    ['in Thai', 'สวัสดีครับผมชื่อเบน', 'ครับ'],
    ['in Thai, by half a word', 'สวัสดีครับ', 'สวัส'],
    ['in Khmer', 'សួស្តីពិភពលោក', 'ពិភព'],
    ['in Korean, while a syllable is being typed', '한국어 공부', '하'],
    ['in Arabic', 'السَّلامُ عليكم', 'السلام'],
    ['in Hindi', 'नमस्ते दुनिया', 'दुनि'],
    ['by an emoji', 'well done 👏🏽 everyone', '👏'],
    ['by an emoji inside a joined one', 'us 👨‍👩‍👧', '👩'],
    ['in two scripts at once', 'iPhone手机壳', 'iph 手机'],
    ['by characters outside the basic plane', '𠮷野家で', '野家'],
    ['by letters outside the basic plane', '𝓗𝓮𝓵𝓵𝓸', 'hel'],
  ])('%s', (_how, text, query) => {
    expect(matchesQuery(text, parseQuery(query))).toBe(true)
  })

  test.each([
    ['by the end of a word', 'See you tomorrow', 'morrow'],
    ['when a word is missing', 'See you tomorrow', 'tom never'],
    ['by characters that are not neighbours', '北大京', '北京'],
    ['by nothing', 'See you tomorrow', ''],
    ['by separators alone', 'See you, tomorrow', ' ,.!'],
  ])('but not %s', (_how, text, query) => {
    expect(matchesQuery(text, parseQuery(query))).toBe(false)
  })
})

test.each([
  ['京', true],
  ['き', true],
  ['ครั', true],
  ['to', true],
  ['t', false],
  [' 京 ', true],
  [' t ', false],
  ['', false],
])('is "%s" enough to search for? %s', (query, isEnough) => {
  expect(isSearchable(query)).toBe(isEnough)
})
