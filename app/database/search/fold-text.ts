import { normalizeText } from '../../../schema/helpers/text.ts'

/**
 * Optional marks in typing: accents, vowel points, the hamza of an alef. Keeps the marks of Thai,
 * Hindi and related scripts, which are vowels, and the kana sound marks, which make other letters.
 */
const accents =
  /(?![\u3099\u309a])(?=[\p{sc=Inherited}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}])\p{M}/gu
/** Joiners, soft hyphens, direction marks, and the Arabic stroke that only widens a word. */
const unseen = /[\p{Cf}\u0640]/gu
const onlyAscii = /^[\0-\x7f]*$/
/** Letters typed as others that Unicode does not decompose. */
const lookalikes = /[øđðłħŧæœþς]/g
const plainLetters: Record<string, string> = {
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ς: 'σ',
}

/**
 * Folds text for comparison: NFKD, without accents or case. Upper-casing unites what lower case
 * keeps apart: ß and SS, Turkish ı, I, İ and i; lower-casing first handles the capital ẞ, which has
 * no upper case. Folding a text equals folding its characters one by one, up to 30 marks in a row.
 */
export function foldText(text: string): string {
  if (onlyAscii.test(text)) return text.toLowerCase()
  return normalizeText(text, 'NFKD')
    .replace(unseen, '')
    .replace(accents, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(lookalikes, (letter) => plainLetters[letter] ?? letter)
}
