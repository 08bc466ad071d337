export interface TextPart {
  text: string
  /** The link's target, if the part is a web address. */
  href?: string
}

const linkPattern = /https?:\/\/[^\s<>"]+/gi
const closingPattern = /[.,;:!?)\]}'»”*_~`]+$/

/**
 * Splits a text into plain parts and web addresses; an address excludes the punctuation after it.
 */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const match of text.matchAll(linkPattern)) {
    const href = match[0].replace(closingPattern, '')
    if (!URL.canParse(href)) continue
    if (match.index > end) parts.push({ text: text.slice(end, match.index) })
    parts.push({ text: href, href })
    end = match.index + href.length
  }
  if (end < text.length) parts.push({ text: text.slice(end) })
  return parts
}
