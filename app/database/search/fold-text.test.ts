import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldText } from './fold-text.ts'

describe('folding', () => {
  test.each([
    ['case', 'HELLO', 'hello'],
    ['accents', 'Crème Brûlée', 'creme brulee'],
    ['accents, whether composed or not', 'e\u0301', 'é'],
    ['German', 'STRASSE Müller', 'straße muller'],
    ['Turkish', 'ISPARTA İstanbul ılık', 'ısparta istanbul ILIK'],
    ['the Greek final sigma', 'ΟΔΟΣ', 'οδος'],
    ['letters with a stroke', 'Łódź Ærø Đà', 'lodz aero da'],
    ['Vietnamese', 'Nguyễn', 'nguyen'],
    ['Cyrillic', 'ещё', 'еще'],
    ['Hebrew vowel points', 'שָׁלוֹם', 'שלום'],
    ['Arabic vowel marks and the hamza', 'مُحَمَّد أحمد', 'محمد احمد'],
    ['full and half width', 'ＡＢＣ ﾊﾞ', 'abc バ'],
    ['ligatures', 'oﬃce', 'office'],
    ['what cannot be seen', 'zero\u200bwidth so\u00adft', 'zerowidth soft'],
  ])('disregards %s', (_what, one, other) => {
    expect(foldText(one)).toBe(foldText(other))
  })

  test.each([
    ['kana with another sound', 'は', 'ば'],
    ['Thai vowels', 'กิน', 'กัน'],
    ['Hindi vowels', 'की', 'का'],
  ])('keeps %s apart', (_what, one, other) => {
    expect(foldText(one)).not.toBe(foldText(other))
  })

  test('a folded text stays as it is when it is folded again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text))
      }),
    )
  })

  test('every character that there is stays as it is when it is folded again', () => {
    const size = 0x1000
    for (let start = 0; start <= 0x10ffff; start += size) {
      const codes = Array.from({ length: size }, (_, index) => start + index)
      const folded = foldText(codes.map((code) => String.fromCodePoint(code)).join(' '))
      expect(foldText(folded)).toBe(folded)
    }
  })

  test('a text folds as its characters do one by one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const characters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
        expect(characters.map(foldText).join('')).toBe(foldText(text))
      }),
    )
  })
})
