import { normalizeText } from '../../schema/helpers/normalize-text.ts'

const mostCharacters = 120
const mostExtensionCharacters = 12

/** Characters that a file system misreads, or that reverse the displayed order. */
const signsTakenOut = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu
const signsReplaced = /[<>:"|?*]/g

/**
 * A filename that is safe to show and save: no folders, no misleading characters, not hidden, and
 * short, with its extension. `file` when nothing is left.
 */
export function tidyFilename(given: string | undefined): string {
  // Browsers escape quotes and line breaks in filenames like this:
  // https://html.spec.whatwg.org/#multipart-form-data
  const written = (given ?? '').replace(/%22|%0D|%0A/g, '_')
  const base = normalizeText(Buffer.from(written).toString(), 'NFC').split(/[/\\]/).at(-1) ?? ''
  const name = base
    .replace(signsTakenOut, '')
    .replace(signsReplaced, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  return shorten(name) || 'file'
}

function shorten(name: string): string {
  const characters = Array.from(name)
  if (characters.length <= mostCharacters) return name
  const dot = characters.lastIndexOf('.')
  const extension = characters.slice(dot)
  if (dot < 1 || extension.length > mostExtensionCharacters) {
    return characters.slice(0, mostCharacters).join('')
  }
  return [...characters.slice(0, mostCharacters - extension.length), ...extension].join('')
}
