import { limits } from './limits.ts'

/**
 * A refused text as it is kept for its author: no longer than one that is accepted. What is longer was never written
 * with this app, and would be stored for nothing.
 */
export function cutText(text: string): string {
  const { messageMaxCharacters } = limits
  if (text.length <= messageMaxCharacters) return text
  const isInPair = /[\ud800-\udbff]/.test(text.charAt(messageMaxCharacters - 1))
  return text.slice(0, isInPair ? messageMaxCharacters - 1 : messageMaxCharacters)
}
