/** In UTF-8 a character takes three bytes at most, or a pair of them four: this stays below the server's limit. */
const mostCharacters = 2_500_000

/**
 * The bodies of as many requests as it takes to push these documents with each below the limit of one:
 * a hundred long messages that were written offline are more than that.
 */
export function splitPush(docs: readonly unknown[], most = mostCharacters): string[] {
  const parts: string[][] = []
  let room = 0
  for (const doc of docs.map((doc) => JSON.stringify(doc))) {
    if (doc.length > room) {
      parts.push([])
      room = most
    }
    parts.at(-1)?.push(doc)
    room -= doc.length
  }
  return parts.map((part) => `{"docs":[${part.join(',')}]}`)
}
