const onsets =
  's t a co re in de pro ma th wh no li ba ch pe mo un e o ha wi fo ge ju ki la qu vi ye za'.split(
    ' ',
  )
const endings = 'ing er ed ion al ly s ent ous ic a o ment y ty n t ck'.split(' ')
const vocabularySize = 40_000
const wordsMax = 17

export interface Queries {
  oneLetter: string[]
  twoLetters: string[]
  threeLetters: string[]
  twoWords: string[]
  rareWord: string[]
  noSuchWord: string[]
}

/**
 * Writes messages of 1 to 17 words. As in any language a few words make up most of the text and
 * most words are rare (Zipf's law), which a word index has to handle.
 */
export function createWriter(random: () => number) {
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? ''
  const vocabulary = [...makeVocabulary(pick, random)]
  const writeWord = () => vocabulary[Math.floor(vocabularySize ** random()) - 1] ?? ''
  const repeat = <T>(count: number, make: (round: number) => T) =>
    Array.from({ length: count }, (_, round) => make(round))
  return {
    writeText: () => repeat(1 + Math.floor(random() * wordsMax), writeWord).join(' '),
    listQueries: (count: number): Queries => ({
      oneLetter: repeat(count, () => writeWord().slice(0, 1)),
      twoLetters: repeat(count, () => writeWord().slice(0, 2)),
      threeLetters: repeat(count, () => writeWord().slice(0, 3)),
      twoWords: repeat(count, () => `${writeWord()} ${writeWord()}`),
      rareWord: repeat(count, (round) => vocabulary[vocabularySize - 1 - round * 7] ?? ''),
      noSuchWord: repeat(count, (round) => `sxq${round}`),
    }),
  }
}

function makeVocabulary(pick: (from: readonly string[]) => string, random: () => number) {
  const words = new Set<string>()
  while (words.size < vocabularySize) {
    const syllables = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(onsets))
    words.add(`${syllables.join('')}${pick(endings)}`)
  }
  return words
}
