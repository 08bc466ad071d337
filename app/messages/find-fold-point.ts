const foldOver = 2_500
/** About as high on a phone as that many characters. */
const foldOverLines = 80
const wordEndWithin = 100

/**
 * Where to fold a long text: at the end of a word, never within a character; undefined for a text
 * that shows whole.
 */
export function findFoldPoint(text: string): number | undefined {
  const lineEnd = findLineEnd(text)
  if (lineEnd !== -1 && lineEnd <= foldOver) return lineEnd
  if (text.length <= foldOver) return undefined
  const wordEnd = text.slice(0, foldOver + 1).search(/\s\S*$/)
  if (wordEnd > foldOver - wordEndWithin) return wordEnd
  const unit = text.charCodeAt(foldOver)
  const isLowHalf = unit >= 0xdc00 && unit <= 0xdfff
  return isLowHalf ? foldOver - 1 : foldOver
}

/** Where the last line ends that shows folded; -1 if the text has no more lines. */
function findLineEnd(text: string): number {
  let end = -1
  for (let line = 0; line < foldOverLines; line++) {
    end = text.indexOf('\n', end + 1)
    if (end === -1) return -1
  }
  return end
}
