/**
 * The rest of a text whose beginning became a message; undefined when the text does not begin with
 * it.
 */
export function dropSent(text: string, sent: string): string | undefined {
  const begun = text.trimStart()
  if (sent === '' || !begun.startsWith(sent)) return undefined
  const rest = begun.slice(sent.length)
  return rest.trim() === '' ? '' : rest
}
