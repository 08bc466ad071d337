import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import { readDocuments } from '../../database/storage/read-documents.ts'
import { subscribeToChanges } from '../../database/storage/subscribe-to-changes.ts'

/** A poll that delivers nothing for this long after a socket hint hangs on a dead connection. */
const expectedWithinMs = 1_500

/** Messages announced by the socket: they should arrive in a moment, or this asks for them. */
export function createExpectations(options: {
  messages: PetrelDatabase['messages']
  onMissing: () => void
  onError: (cause: unknown) => void
}): { expect(messageId: string): void; close(): void } {
  const { messages, onMissing, onError } = options
  const expected = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function look() {
    timer = undefined
    const ids = [...expected]
    expected.clear()
    const found = await readDocuments(messages, ids)
    if (found.size < ids.length) onMissing()
  }

  const unsubscribe = subscribeToChanges(messages, ({ documents }) => {
    for (const { _id } of documents) expected.delete(_id)
  })
  return {
    expect(messageId) {
      expected.add(messageId)
      timer ??= setTimeout(() => void look().catch(onError), expectedWithinMs)
    },
    close() {
      clearTimeout(timer)
      unsubscribe()
    },
  }
}
