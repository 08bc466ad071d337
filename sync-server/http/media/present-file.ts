import type * as z from 'zod/mini'
import type { uploadedFile } from '../../../schema/media.ts'
import type { FileDocument } from '../../media/media-documents.ts'
import { nameMediaUrl } from '../../media/media-url.ts'

/** The answer to an upload. */
export function presentFile(file: FileDocument): z.input<typeof uploadedFile> {
  const { mediaId, servedId = mediaId, type, mimeType, size, filename } = file
  return { mediaUrl: nameMediaUrl(servedId), type, mimeType, size, filename }
}
