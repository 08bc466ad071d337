import * as z from 'zod/mini'
import { groupAnswer } from '../../../schema/api/groups.ts'
import { id } from '../../../schema/id.ts'

/**
 * An export is a zip of these parts, `files/<message>.<ending>` and `pictures/<person>.<ending>`. A list is a JSON array with
 * one document on each line, so that both sides hold one line at a time.
 */
export const archiveParts = {
  head: 'petrel.json',
  profile: 'profile.json',
  settings: 'settings.json',
  people: 'people.json',
  conversations: 'conversations.json',
  messages: 'messages.json',
  files: 'files.json',
} as const

/** Parts since the second version: an export of the first is read without them. */
export const laterParts = { drafts: 'drafts.json', pictures: 'pictures.json' } as const

/** A part since the third version: the groups whose messages are among those. */
export const groupsPart = 'groups.json'

export const archiveVersion = 3
export const archiveFormat = 'petrel-export'

export const archiveHead = z.object({
  format: z.literal(archiveFormat),
  version: z.int().check(z.gte(1)),
  userId: id,
  username: z.string(),
  exportedAt: z.iso.datetime(),
})
export type ArchiveHead = z.infer<typeof archiveHead>

/** One line of `groups.json`. */
export const archivedGroup = z.extend(z.omit(groupAnswer, { createdAt: true }), {
  hasLeft: z.optional(z.literal(true)),
})

const filePath = /^files\/[0-9a-f-]{36}(\.[a-z0-9]{1,8})?$/

/** One line of `files.json`. */
export const archivedFile = z.object({
  messageId: id,
  path: z.string().check(z.regex(filePath)),
  mimeType: z.string().check(z.maxLength(200)),
  size: z.int().check(z.gte(0)),
})
export type ArchivedFile = z.infer<typeof archivedFile>

export function nameArchivedFile(messageId: string, fileName: string | undefined): string {
  const ending = /\.([a-z0-9]{1,8})$/.exec(fileName?.toLowerCase() ?? '')?.[1]
  return `files/${messageId}${ending ? `.${ending}` : ''}`
}

/** How far an export or an import is, in documents and files. */
export interface ArchiveProgress {
  stage: 'checking' | 'messages' | 'files'
  done: number
  total: number
}

export interface Archive {
  /** Everything of this person that is on this device, as one zip. Rejects with words for a person. */
  save(options: {
    /** One's own record. */
    profile: { _id: string; username: string; settings: object; profilePicture?: string | null }
    /** Asks the server for files that are not on this device. */
    loadsMissing: boolean
    signal: AbortSignal
    onProgress(progress: ArchiveProgress): void
  }): Promise<SavedArchive>
  /**
   * Merges a saved zip into this device. Checks all of it first: one that cannot be read changes
   * nothing. Rejects with words for a person.
   */
  restore(
    zip: Blob,
    options: { signal: AbortSignal; onProgress(progress: ArchiveProgress): void },
  ): Promise<RestoredArchive>
}

export interface SavedArchive {
  zip: Blob
  name: string
  messageCount: number
  fileCount: number
  /** Files that the export lacks, because they are not on this device. */
  missingCount: number
}

/** What the import has changed on this device. */
export interface RestoredArchive {
  messageCount: number
  conversationCount: number
  fileCount: number
}
