/**
 * Splits documents (JSON): as many as fit the given number of characters, at least one, and the
 * rest.
 */
export function splitPush(texts: readonly string[], most: number) {
  let room = most
  const end = texts.findIndex((text, at) => {
    room -= text.length
    return at > 0 && room < 0
  })
  const count = end < 0 ? texts.length : end
  return { part: texts.slice(0, count), rest: texts.slice(count) }
}
