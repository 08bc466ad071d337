import { v7 as uuidv7 } from 'uuid'
import type { AttachedFile } from '../../../schema/attached-file.ts'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import type { GroupRefusal } from '../../../schema/group.ts'
import type { Mention } from '../../../schema/helpers/mentions.ts'
import type { LinkPreview } from '../../../schema/link-preview.ts'
import type { MessageDocument, MessageType } from '../../../schema/message.ts'
import type { Refusal } from '../../../schema/refusal.ts'
import type { Privacy } from '../../access/privacy.ts'
import type { Revisions } from '../../storage/documents/documents.ts'

/** Nobody has restricted anything. */
export const openPrivacy: MessagePrivacy = {
  refusesFirst: async () => false,
  hidesReading: async () => false,
}

/** A document as a client offers it, under an id checked to be storable. */
export interface Proposal {
  id: string
  raw: Record<string, unknown>
  /** The client asks for a CouchDB tombstone, which documents here never become. */
  isDeleted: boolean
  /** From the business channel, for its owner's copy. Devices cannot set it. */
  isFromProvider?: boolean
  /** The revision under which a replicating client holds it. */
  revisions?: Revisions
}

/**
 * A device's clock is right to about a second: times this little ahead are cut down without a word,
 * or each of its changes would come back.
 */
export const clockSlackMs = 2_000

/**
 * What became of a proposal.
 * - `stored`: `doc` lies in the owner's copy. `isTaken`: it was written by this proposal or says the same; when not,
 *   the client has yet to learn of `doc`. `refusal`: why it is not what was proposed, which is not taken then.
 *   `isClamped`: a time of it lay well ahead of the server's clock, and is another one in `doc`.
 * - `absent`: a deletion of what was not there.
 * - `heldBack`: nothing was done with it, and nothing of it is stored: it can be offered again.
 */
export type Outcome<Doc> =
  | {
      kind: 'stored'
      id: string
      rev: string
      doc: Doc
      isNew: boolean
      isTaken: boolean
      isClamped?: boolean
      refusal?: Refusal
    }
  | { kind: 'absent'; id: string }
  | { kind: 'heldBack'; id: string; refusal: Refusal | GroupRefusal }

/**
 * A message as a caller without a local database writes it. `_id` makes a repeated call idempotent.
 */
export interface NewMessage {
  _id?: string | undefined
  content: string
  sealed?: string | undefined
  type?: MessageType | undefined
  replyToMessageId?: string | undefined
  mediaUrl?: string | undefined
  file?: AttachedFile | undefined
  link?: LinkPreview | undefined
  mentions?: readonly Mention[] | undefined
  mentionedIds?: readonly string[] | undefined
}

/**
 * Turns it into a device's push, so that it goes through the one way in (P4). @param now epoch ms
 */
export function proposeMessage(asked: {
  senderId: string
  recipientId: string
  message: NewMessage
  now?: number
}): Proposal {
  const { senderId, recipientId, message, now = Date.now() } = asked
  const { _id = uuidv7(), content, sealed, type = 'text' } = message
  const { replyToMessageId, mediaUrl, file, link, mentions, mentionedIds } = message
  const raw: Partial<MessageDocument> = {
    _id,
    peerId: recipientId,
    senderId,
    recipientId,
    type,
    content,
    createdAt: now,
    orderedAt: now,
    status: 'sending',
    ...(sealed === undefined ? {} : { sealed }),
    ...(replyToMessageId === undefined ? {} : { replyTo: replyToMessageId }),
    ...(mediaUrl === undefined ? {} : { mediaUrl }),
    ...(mediaUrl === undefined || file === undefined ? {} : { file }),
    ...(link === undefined ? {} : { link }),
    ...(mentions === undefined ? {} : { mentions: [...mentions] }),
    ...(mentionedIds === undefined ? {} : { mentionedIds: [...mentionedIds] }),
  }
  return { id: _id, raw, isDeleted: false }
}

export interface AcceptRequest {
  actorId: string
  /** The sign-in that asks, where one does. */
  sessionId?: string | undefined
  proposals: readonly Proposal[]
}

/** A request and its outcomes, in the order of its proposals. */
export interface Accepted<Doc> extends AcceptRequest {
  outcomes: readonly Outcome<Doc>[]
}

/** Hears about each request once everything of it is written. Returns at once, and never throws. */
export interface AcceptanceListener {
  onMessages(accepted: Accepted<MessageDocument>): void
  onConversations(accepted: Accepted<ConversationDocument>): void
}

/** The stored outcomes of what people proposed; what the business channel wrote is not theirs. */
export function listStoredOfPeople<Doc>({ proposals, outcomes }: Accepted<Doc>) {
  return outcomes.flatMap((outcome, index) => {
    const proposal = proposals[index]
    if (outcome.kind !== 'stored' || !proposal || proposal.isFromProvider) return []
    return [{ ...outcome, proposal }]
  })
}

/** What people's privacy means for messages and receipts. */
export type MessagePrivacy = Pick<Privacy, 'refusesFirst' | 'hidesReading'>
