const foldOver = 2_500
const wordEndWithin = 100

/**
 * Where to fold a long text: at the end of a word, never within a character; undefined for a text
 * that shows whole.
 */
export function findFoldPoint(text: string): number | undefined {
  if (text.length <= foldOver) return undefined
  const wordEnd = text.slice(0, foldOver + 1).search(/\s\S*$/)
  if (wordEnd > foldOver - wordEndWithin) return wordEnd
  const unit = text.charCodeAt(foldOver)
  const isLowHalf = unit >= 0xdc00 && unit <= 0xdfff
  return isLowHalf ? foldOver - 1 : foldOver
}
