import { cutAtWord, describeNews } from '../../ui/text/describe-message.ts'

/** What was meant is known by its beginning. */
const quotedMaxCharacters = 280

/**
 * The text of a reply in private, with room for the answer: a quote that both read without being in the group.
 * @param groupName from where it is quoted
 * @param begun what the chat's composer holds already
 */
export function quoteInPrivate(
  message: Parameters<typeof describeNews>[0],
  { groupName, begun }: { groupName: string; begun: string },
): string {
  const place = groupName.replace(/\s+/g, ' ').trim()
  const words = cutAtWord(describeNews(message), quotedMaxCharacters)
  return `> ${place}\n> ${words}\n${begun}`
}
