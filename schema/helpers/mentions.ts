/** Somebody named in a text after an @, as they were called when it was written. */
export interface Mention {
  userId: string
  name: string
}

/** Where a text names somebody: from the @ to the end of the name, as UTF-16 indexes. */
export interface MentionInText extends Mention {
  start: number
  end: number
}

/** Before an @ that begins a mention: not within an address of a page or of a mailbox. */
const joinedBefore = /[\p{L}\p{M}\p{N}/@.=&+-]$/u
/** Scripts that put no space between words. */
const unspacedBefore =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]$/u
/** The name goes on: signs that names have count where a letter follows. */
const goesOn = /^(?:[\p{L}\p{M}\p{N}]|[_.-]+[\p{L}\p{N}])/u
const goesOnWithin = 8

/** May a mention begin at this place of the text? */
export function canBeginMention(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at)
  return !joinedBefore.test(before) || unspacedBefore.test(before)
}

/**
 * Finds these people in a text: @ and the name, neither within a longer word. Of names that begin
 * alike the longest counts, so that Ann is not found in `@Ann Marie`.
 */
export function findMentions(text: string, people: readonly Mention[]): MentionInText[] {
  let at = people.length === 0 ? -1 : text.indexOf('@')
  if (at === -1) return []
  const longestFirst = people.toSorted((a, b) => b.name.length - a.name.length)
  const found: MentionInText[] = []
  while (at !== -1) {
    const start = at
    const named = canBeginMention(text, start)
      ? longestFirst.find(({ name }) => isNamedAt(text, start, name))
      : undefined
    const end = start + 1 + (named?.name.length ?? 0)
    if (named) found.push({ ...named, start, end })
    at = text.indexOf('@', end)
  }
  return found
}

/** Those of these people who are named in the text, each name once: what goes with the text. */
export function pickMentions(text: string, people: readonly Mention[]): Mention[] {
  const named = new Map(
    findMentions(text, people).map(({ userId, name }) => [name, { userId, name }]),
  )
  return [...named.values()]
}

/** Does this message name this person? An id alone, without the name in the text, is no mention. */
export function isMentioned(
  message: { content: string; mentions?: readonly Mention[] | undefined },
  userId: string,
): boolean {
  const { content, mentions: people = [] } = message
  if (!people.some((one) => one.userId === userId)) return false
  return findMentions(content, people).some((one) => one.userId === userId)
}

function isNamedAt(text: string, at: number, name: string): boolean {
  const end = at + 1 + name.length
  return text.startsWith(name, at + 1) && !goesOn.test(text.slice(end, end + goesOnWithin))
}
