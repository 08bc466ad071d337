import { limits } from '../../../schema/limits.ts'

/** At most 40 characters, then '...'. Never splits a character. */
export function cutPreview(text: string): string {
  const characters = [...text]
  const { previewMaxCharacters } = limits
  if (characters.length <= previewMaxCharacters) return text
  return `${characters.slice(0, previewMaxCharacters).join('')}...`
}
