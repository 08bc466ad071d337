const wordEndWithin = 40

/** At most `maxLength` characters and '…', cut at a word's end if one is near. */
export function cutAtWord(text: string, maxLength: number): string {
  const characters = [...text.slice(0, 2 * maxLength + 2)]
  if (characters.length <= maxLength) return text
  const start = characters.slice(0, maxLength + 1).join('')
  const wordEnd = start.search(/\s\S*$/)
  const isNear = wordEnd !== -1 && wordEnd > start.length - wordEndWithin
  return `${isNear ? start.slice(0, wordEnd) : characters.slice(0, maxLength).join('')}…`
}
