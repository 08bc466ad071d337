import { idPattern } from '../../../schema/id.ts'
import { limits } from '../../../schema/limits.ts'

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
