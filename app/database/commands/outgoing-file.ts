import type { AttachedFile } from '../../../schema/attached-file.ts'
import type { MediaType } from '../../../schema/media.ts'

export interface OutgoingFile {
  /** Its preassigned id, if any: sent twice, it is one message (P2). */
  id?: string
  peerId: string
  bytes: Blob
  about: AttachedFile
  /** The apparent type; the server checks the bytes. */
  type: MediaType
  /** The caption; empty for none. */
  content: string
  /** The id of the answered message. */
  replyTo?: string
}
