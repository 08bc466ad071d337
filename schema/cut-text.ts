import { limits } from './limits.ts'

/**
 * Cuts a refused text to the accepted length before it is kept for its author. This app never
 * writes longer ones, so storing the rest is useless.
 */
export function cutText(text: string): string {
  const { messageMaxCharacters } = limits
  if (text.length <= messageMaxCharacters) return text
  const isInPair = /[\ud800-\udbff]/.test(text.charAt(messageMaxCharacters - 1))
  return text.slice(0, isInPair ? messageMaxCharacters - 1 : messageMaxCharacters)
}
