import { v5 as uuidv5 } from 'uuid'
import { idPattern } from '../../schema/id.ts'
import { limits } from '../../schema/limits.ts'

/** Any fixed one: an id is made of it and of what names the upload. */
const uploadNamespace = '5a3b1f0e-6c1d-5a52-9c1b-0e3f6d2a7c84'

/**
 * The id under which what somebody uploads with a key is served. The same upload again has the same address, so bytes that
 * the server has lost come back to where messages look for them; nobody else's upload can have it.
 */
export function deriveServedId({ ownerId, key }: { ownerId: string; key: string }): string {
  return uuidv5(`${ownerId} ${key}`, uploadNamespace)
}

/** The address under which a file is served, as messages and profiles carry it. */
export function nameMediaUrl(mediaId: string): string {
  return `${limits.mediaPathPrefix}${mediaId}`
}

/** @returns the file's id; undefined for an address that no file of ours can have */
export function parseMediaUrl(mediaUrl: string): string | undefined {
  if (!mediaUrl.startsWith(limits.mediaPathPrefix)) return undefined
  const mediaId = mediaUrl.slice(limits.mediaPathPrefix.length)
  return idPattern.test(mediaId) ? mediaId : undefined
}
