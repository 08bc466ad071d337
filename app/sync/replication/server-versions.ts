import { canonicalJson } from '../../../schema/helpers/canonical-json.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { orAborted } from '../platform/back-off.ts'

/**
 * What the server holds, as far as it was pulled since a new epoch began. Everything on the device is offered again then,
 * and whatever the server holds in the same version need not leave the device: of 10,000 messages only the lost ones do.
 */
export function createServerVersions() {
  const { promise: pulled, resolve: resolvePulled } = createDeferred()
  const versions = new Map<string, string>()

  return {
    /** Takes note of documents that an answer brings. */
    record(documents: readonly ServerDocument[]) {
      for (const document of documents) versions.set(document._id, versionKey(document))
    },
    /** All that there was has been pulled. */
    setPulled: () => resolvePulled(),
    /** Resolves when all that there was has been pulled: until then nobody knows what the server lacks. */
    untilPulled: (signal: AbortSignal) => orAborted(pulled, signal),
    /** Does the server hold this very version? Asked once: what comes after it is another one. */
    takeHeld(document: ServerDocument): boolean {
      const isHeld = versions.get(document._id) === versionKey(document)
      versions.delete(document._id)
      return isHeld
    },
  }
}

export type ServerVersions = ReturnType<typeof createServerVersions>

export type ServerDocument = { _id: string } & Record<string, unknown>

/** A short name for what a document says, without what belongs to the store that it comes from. */
function versionKey(document: ServerDocument): string {
  const own = Object.entries(document).filter(([field]) => !field.startsWith('_'))
  return hash(canonicalJson(Object.fromEntries(own)))
}

/** 64 bits: compared with one other version of the same document only. FNV-1a, twice. */
function hash(text: string): string {
  let [one, other] = [0x811c9dc5, 0x01000193]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other ^ code, 0x85ebca6b)
  }
  return `${one >>> 0} ${other >>> 0}`
}
