/**
 * Marks that a person may leave out when typing: accents, vowel points, the hamza of an alef. The marks of
 * Thai, Hindi and their kin are vowels, and the kana sound marks make other letters: those stay.
 */
const accents =
  /(?![\u3099\u309a])(?=[\p{sc=Inherited}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}])\p{M}/gu
/** Joiners, soft hyphens, direction marks, and the Arabic stroke that only widens a word. */
const unseen = /[\p{Cf}\u0640]/gu
const onlyAscii = /^[\0-\x7f]*$/
/** Letters that are typed as others but that Unicode does not take apart. */
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
 * Text as it is compared: compatibility forms taken apart (Unicode NFKD), accents left out, no case.
 * Upper case joins what lower case keeps apart: ß and SS, and the Turkish ı, I, İ and i. Lower case before
 * that takes the capital ẞ, which has no upper case of its own, to the small one.
 * Folding a text is the same as folding its characters one by one.
 */
export function foldText(text: string): string {
  if (onlyAscii.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(unseen, '')
    .replace(accents, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(lookalikes, (letter) => plainLetters[letter] ?? letter)
}
