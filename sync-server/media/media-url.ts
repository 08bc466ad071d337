import { v5 as uuidv5 } from 'uuid'
import { idPattern } from '../../schema/id.ts'
import { limits } from '../../schema/limits.ts'

/** Any fixed UUID: the namespace of ids derived from uploads. */
const uploadNamespace = '5a3b1f0e-6c1d-5a52-9c1b-0e3f6d2a7c84'

/**
 * The id that serves a keyed upload. Repeating the upload gives the same address, so lost bytes
 * return to where messages look for them; nobody else's upload can get it.
 */
export function deriveServedId({ ownerId, key }: { ownerId: string; key: string }): string {
  return uuidv5(`${ownerId} ${key}`, uploadNamespace)
}

/** The address that serves a file, as messages and profiles carry it. */
export function nameMediaUrl(mediaId: string): string {
  return `${limits.mediaPathPrefix}${mediaId}`
}

/** @returns the file's id; undefined for an address that no file of ours can have */
export function parseMediaUrl(mediaUrl: string): string | undefined {
  if (!mediaUrl.startsWith(limits.mediaPathPrefix)) return undefined
  const mediaId = mediaUrl.slice(limits.mediaPathPrefix.length)
  return idPattern.test(mediaId) ? mediaId : undefined
}
