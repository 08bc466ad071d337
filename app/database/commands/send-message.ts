import { v7 as createId } from 'uuid'
import type { LinkPreview } from '../../../schema/link-preview.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { refuseText } from '../../../schema/permit-message-change.ts'
import type { CommandContext } from '../storage/collections.ts'
import { readDexie, writeWithNote } from '../storage/dexie/owed-notes.ts'
import { toStoredMessage } from '../storage/stored-message.ts'
import { beginConversation } from './change-conversation.ts'
import { findMentioned, withMentions } from './find-mentioned.ts'
import { makeGroupSecret } from './make-group-secret.ts'

/** A file that lies on the server already, under the address in another message. */
export type ForwardedFile = Pick<MessageDocument, 'type' | 'mediaUrl' | 'file'>

export interface OutgoingMessage {
  peerId: string
  content: string
  /** The id of the answered message. */
  replyTo?: string
  /** It was not written in the composer: the draft there stays, whatever it says. */
  keepsDraft?: boolean
  forwarded?: ForwardedFile | undefined
  /** Sent on from another chat: names in it are plain text. */
  isForward?: true
  /** What the page behind an address in it says of itself: not told to a customer, nor in a sealed message. */
  link?: LinkPreview | undefined
  /** Its form for a business-channel customer, if more than text. */
  business?: Pick<MessageDocument, 'type' | 'template' | 'interactive'>
}

/**
 * Writes a message into the device's database; replication is the outbox. Once this resolves the
 * message is kept, whatever happens next (P1); only then may the composer clear.
 *
 * @param outgoing.note stored in the same transaction
 * @returns the id that the message has for life (P2)
 * @throws with words for a person when the text is not a valid message, or the device cannot store
 * it
 */
export async function sendMessage(
  context: CommandContext,
  outgoing: OutgoingMessage & { id?: string; note?: { id: string } | undefined },
): Promise<string> {
  const { userId, database, now } = context
  const { peerId, replyTo, forwarded, business, note } = outgoing
  const content = outgoing.content.trim()
  const refusal = refuseText({ content, ...forwarded })
  if (refusal) throw new Error(refusal.error)
  const orderedAt = await database.places.nextOrderedAt(peerId)
  if (forwarded?.file?.key) await requireSealing(context, { peerId, orderedAt, ...forwarded.file })
  const mentioned = outgoing.isForward ? [] : await findMentioned(context, { peerId, content })
  const written = messageDocument.parse({
    _id: outgoing.id ?? createId(),
    peerId,
    senderId: userId,
    recipientId: peerId,
    content,
    createdAt: now(),
    orderedAt,
    ...(replyTo && { replyTo }),
    ...forwarded,
    ...(outgoing.link && !database.sealing.mustSeal(peerId) && { link: outgoing.link }),
    ...business,
  })
  const message = withMentions(written, mentioned)
  const insert = () =>
    database.messages.insert(toStoredMessage(database.sealing.seal(message, undefined), userId))
  await storeWithNote(context, { messageId: message._id, note }, insert)
  // The message is stored by now: a failure here must not make its author resend it.
  await beginConversation(database.conversations, message).catch(() => {})
  return message._id
}

/** @throws with words for a person where the key of a file could not be sealed */
async function requireSealing(
  context: CommandContext,
  { peerId, orderedAt, name }: { peerId: string; orderedAt: number; name: string },
): Promise<void> {
  const { sealing, groups } = context.database
  const isGroup = groups.has(peerId)
  if (isGroup && !sealing.canSeal(peerId)) {
    await makeGroupSecret(context, { groupId: peerId, before: orderedAt })
  }
  if (sealing.canSeal(peerId)) return
  const whose = isGroup ? 'somebody in this group' : 'this person'
  throw new Error(
    `“${name}” is encrypted, and ${whose} can't open it. Save it and send it as a new file.`,
  )
}

async function storeWithNote(
  { database }: CommandContext,
  { messageId, note }: { messageId: string; note: { id: string } | undefined },
  write: () => Promise<unknown>,
) {
  if (!note) return await write()
  const dexie = await readDexie(database.messages.storageInstance)
  return await writeWithNote(dexie, { messageId, note }, write)
}
