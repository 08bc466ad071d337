import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { canonicalJson } from '../../../schema/helpers/json.ts'
import { orAborted } from '../platform/back-off.ts'

/**
 * The server's versions, as pulled since a new epoch began. The device then offers everything
 * again, but need not send documents that the server holds unchanged: of 10,000 messages only the
 * lost ones.
 */
export function createServerVersions() {
  const { promise: pulled, resolve: resolvePulled } = createDeferred()
  const versions = new Map<string, string>()

  return {
    /** Records documents from an answer. */
    record(documents: readonly ServerDocument[]) {
      for (const document of documents) versions.set(document._id, versionKey(document))
    },
    /** The pull has reached the end. */
    setPulled: () => resolvePulled(),
    /**
     * Resolves when the pull has reached the end: before that no one knows what the server lacks.
     */
    untilPulled: (signal: AbortSignal) => orAborted(pulled, signal),
    /** Does the server hold exactly this version? Asked once: any later version differs. */
    takeHeld(document: ServerDocument): boolean {
      const isHeld = versions.get(document._id) === versionKey(document)
      versions.delete(document._id)
      return isHeld
    },
  }
}

export type ServerVersions = ReturnType<typeof createServerVersions>

export type ServerDocument = { _id: string } & Record<string, unknown>

/** A digest of a document's content, without its store's own fields. */
function versionKey(document: ServerDocument): string {
  const own = Object.entries(document).filter(([field]) => !field.startsWith('_'))
  return hash(canonicalJson(Object.fromEntries(own)))
}

/** 64 bits: compared only between versions of one document. FNV-1a, in two halves. */
function hash(text: string): string {
  let [one, other] = [0x811c9dc5, 0x01000193]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other ^ code, 0x85ebca6b)
  }
  return `${one >>> 0} ${other >>> 0}`
}
