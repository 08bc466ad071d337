export interface TextPart {
  text: string
  /** The link's target, if the part is a web address. */
  href?: string
}

/** Chinese and Japanese put no space before their own punctuation. */
const linkPattern = /https?:\/\/[^\s<>"、。〈-】！，：；？（）]+/gi
const closing: ReadonlySet<string> = new Set(".,;:!?)]}'»”*_~`")
const openers: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/**
 * Splits a text into plain parts and web addresses; an address excludes the punctuation after it.
 */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const match of text.matchAll(linkPattern)) {
    const href = dropClosing(match[0])
    if (!URL.canParse(href)) continue
    if (match.index > end) parts.push({ text: text.slice(end, match.index) })
    parts.push({ text: href, href })
    end = match.index + href.length
  }
  if (end < text.length) parts.push({ text: text.slice(end) })
  return parts
}

/**
 * Without the punctuation at the end; a bracket that the address itself opens belongs to it. In one
 * pass: a long row of punctuation must not stop the page.
 */
function dropClosing(address: string): string {
  const counts = new Map<string, number>()
  for (const character of address) counts.set(character, countOf(counts, character) + 1)
  let end = address.length
  for (; closing.has(address.charAt(end - 1)); end -= 1) {
    const close = address.charAt(end - 1)
    const open = openers[close]
    if (open && countOf(counts, close) <= countOf(counts, open)) break
    counts.set(close, countOf(counts, close) - 1)
  }
  return address.slice(0, end)
}

function countOf(counts: ReadonlyMap<string, number>, character: string): number {
  return counts.get(character) ?? 0
}
