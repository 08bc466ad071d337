/** What is left of a text whose beginning has become a message; undefined where it does not begin with that. */
export function dropSent(text: string, sent: string): string | undefined {
  const begun = text.trimStart()
  if (sent === '' || !begun.startsWith(sent)) return undefined
  const rest = begun.slice(sent.length)
  return rest.trim() === '' ? '' : rest
}
