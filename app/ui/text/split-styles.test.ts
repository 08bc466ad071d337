import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitStyles } from './split-styles.ts'

/** Parts in short form: `bold+italic:text`, plain ones without a style. */
const show = (text: string) =>
  splitStyles(text).map(({ text, styles, href }) =>
    [...(styles.length > 0 ? [styles.join('+')] : []), ...(href ? ['link'] : []), text].join(':'),
  )

test.each([
  ['a *b* c', ['a ', 'bold:b', ' c']],
  ['_two words_', ['italic:two words']],
  ['~gone~, *here*', ['strike:gone', ', ', 'bold:here']],
  ['run `npm test` now', ['run ', 'code:npm test', ' now']],
  ['*_both_*', ['bold+italic:both']],
  ['*a _b_ c*', ['bold:a ', 'bold+italic:b', 'bold: c']],
  ['(*b*)!', ['(', 'bold:b', ')!']],
  ['*a*b*', ['bold:a*b']],
  ['*מודגש* טקסט', ['bold:מודגש', ' טקסט']],
  ['*👍🏽*', ['bold:👍🏽']],
])('%s is drawn in its style', (text, parts) => {
  expect(show(text)).toEqual(parts)
})

test.each([
  'snake_case_name',
  '2*3*4',
  'a * b * c',
  '* a list',
  '**two**',
  '__init__',
  '```block```',
  '*open',
  'close*',
  '*over\ntwo lines*',
  '**',
  '* *',
  'naïve_é_word',
  '𝒜*b*𝒞',
])('%s stays as it is', (text) => {
  expect(show(text)).toEqual([text])
})

test('code keeps every marker and address inside it', () => {
  expect(show('`a *b* https://a.example _c_` *d*')).toEqual([
    'code:a *b* https://a.example _c_',
    ' ',
    'bold:d',
  ])
  expect(show('*a `b* c` d*')).toEqual(['bold:a ', 'bold+code:b* c', 'bold: d'])
})

test('an address keeps its markers, and may be inside a style', () => {
  expect(show('see https://a.example/x_y_z *now*')).toEqual([
    'see ',
    'link:https://a.example/x_y_z',
    ' ',
    'bold:now',
  ])
  expect(show('*https://a.example/_b_/c tonight*')).toEqual([
    'bold:link:https://a.example/_b_/c',
    'bold: tonight',
  ])
})

test('the parts joined give the text without its markers, for any input', () => {
  const piece = fc.oneof(
    fc.constantFrom('*', '_', '~', '`', ' ', '\n', 'a', 'Zoë', 'שלום', '👍🏽', '<b>', '7'),
    fc.webUrl(),
    fc.string({ unit: 'grapheme' }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('')
      let end = 0
      for (const part of splitStyles(text)) {
        expect(text.slice(end, part.start)).toMatch(/^[*_~`]*$/)
        expect(text.slice(part.start, part.start + part.text.length)).toBe(part.text)
        expect(part.text).not.toBe('')
        expect(new Set(part.styles).size).toBe(part.styles.length)
        end = part.start + part.text.length
      }
      expect(text.slice(end)).toMatch(/^[*_~`]*$/)
    }),
    { numRuns: 2_000 },
  )
})

test('a style drops exactly one marker on each side', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/)
  fc.assert(
    fc.property(word, fc.constantFrom('*', '_', '~', '`'), word, (before, marker, inside) => {
      const parts = splitStyles(`${before} ${marker}${inside}${marker}`)
      expect(parts.map(({ text }) => text)).toEqual([`${before} `, inside])
    }),
  )
})

test('the longest message of nothing but markers or punctuation is split in one go', () => {
  for (const text of [
    '*a '.repeat(20_000),
    '`'.repeat(60_000),
    '*_~'.repeat(20_000),
    '*a* '.repeat(15_000),
    `https://a${'.'.repeat(300_000)}b`,
  ]) {
    expect(splitStyles(text).length).toBeGreaterThan(0)
  }
})

test('mentions keep the markers in a name, may be inside a style, and are none in code or an address', () => {
  const people = ['Ann', '_a_', 'Ann Marie'].map((name) => ({ userId: name, name }))
  const shown = (text: string) =>
    splitStyles(text, people).map(({ text, styles, userId }) =>
      [...styles, ...(userId ? [`<${userId}>`] : []), text].join(':'),
    )
  expect(shown('hi @Ann!')).toEqual(['hi ', '<Ann>:@Ann', '!'])
  expect(shown('*@Ann Marie* @_a_ _b_')).toEqual([
    'bold:<Ann Marie>:@Ann Marie',
    ' ',
    '<_a_>:@_a_',
    ' ',
    'italic:b',
  ])
  expect(shown('`@Ann` https://a.example/?q=(@Ann)')).toEqual([
    'code:@Ann',
    ' ',
    'https://a.example/?q=(@Ann)',
  ])
  expect(splitStyles('hi @Ann')).toEqual([{ text: 'hi @Ann', start: 0, styles: [] }])
})
