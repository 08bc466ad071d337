/**
 * One emoji by Unicode's grammar, even if unknown: flags, keycaps, skin tones, sequences. Source:
 * UTS #51, 1.4.9.
 */
const part =
  '(?:\\p{RI}\\p{RI}|\\p{Emoji}(?:\\p{EMod}|\\uFE0F\\u20E3?|[\\u{E0020}-\\u{E007E}]+\\u{E007F})?)'
const sequence = `(?![0-9#*](?!\\uFE0F\\u20E3))${part}(?:\\u200D${part})*`
const oneEmoji = new RegExp(`^${sequence}$`, 'u')
const fewEmoji = new RegExp(`^(?:${sequence}\\s*){1,3}$`, 'u')
const eachEmoji = new RegExp(sequence, 'gu')

/** Longer than any recommended by Unicode, in UTF-16 units. */
const emojiMaxLength = 40

/** Is the text exactly one emoji? */
export function isEmoji(text: string): boolean {
  return text.length <= emojiMaxLength && oneEmoji.test(text)
}

/** The number of emoji when the text is one to three of them and nothing else; otherwise 0. */
export function countAlone(text: string): number {
  const words = text.trim()
  if (words.length > 3 * emojiMaxLength || !fewEmoji.test(words)) return 0
  return words.match(eachEmoji)?.length ?? 0
}
