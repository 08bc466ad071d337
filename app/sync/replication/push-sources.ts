import type { createPushDocuments } from './push-documents.ts'
import type { ServerDocument } from './server-versions.ts'

type PushDocuments = ReturnType<typeof createPushDocuments>

/**
 * Sorts what is pushed by the database where it belongs: the person's own, or a group's. Each
 * source answers for itself.
 */
export function createPushSources(options: {
  /** The group whose database has it; undefined for the person's own. */
  groupOf: (document: ServerDocument) => string | undefined
  open: (groupId: string | undefined) => PushDocuments
}): PushDocuments {
  const { groupOf, open } = options
  const opened = new Map<string | undefined, PushDocuments>()

  function find(groupId: string | undefined): PushDocuments {
    const source = opened.get(groupId) ?? open(groupId)
    opened.set(groupId, source)
    return source
  }

  return {
    async push(documents, given) {
      const parts = new Map<string | undefined, ServerDocument[]>()
      for (const document of documents) {
        const groupId = groupOf(document)
        parts.set(groupId, [...(parts.get(groupId) ?? []), document])
      }
      const found = await Promise.all(
        [...parts].map(([groupId, part]) => find(groupId).push(part, given)),
      )
      return found.flat()
    },
    isRunning: (id) => [...opened.values()].some((source) => source.isRunning(id)),
    replace(document) {
      find(groupOf(document)).replace(document)
    },
  }
}
