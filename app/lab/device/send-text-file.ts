import type { Messenger } from '../../sync/messenger-types.ts'

/** Sends a document with the given words, and returns its message's id. */
export async function sendTextFile(
  messenger: Messenger,
  given: { to: { userId: string }; content: string; fileWords: string },
): Promise<string> {
  const { to, content, fileWords } = given
  const bytes = new Blob([fileWords])
  const about = { name: `${content}.txt`, size: bytes.size, mimeType: 'text/plain' }
  const message = { peerId: to.userId, bytes, content, type: 'document' as const, about }
  return await messenger.commands.sendFile(message)
}
