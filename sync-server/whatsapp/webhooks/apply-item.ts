import { blankDeleted } from '../../../schema/blank-deleted.ts'
import { unreachable } from '../../../schema/helpers/assertions.ts'
import { limits } from '../../../schema/limits.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { isReaction, type Reaction } from '../../../schema/reaction.ts'
import type { Log } from '../../lib/log.ts'
import type { ContactDocument } from '../customers/contact-documents.ts'
import type { InboundContent, InboundFile } from '../inbound/inbound-content.ts'
import { inboundMessageKey, makeInboundMessage } from '../inbound/inbound-message.ts'
import type { EarlyChange } from '../inbound/message-index.ts'
import { presentInbound } from '../inbound/present-inbound.ts'
import type { EchoItem, MessageItem } from '../inbound/webhook-items.ts'
import type { createTemplates } from '../sending/templates.ts'
import { createStatusApplier } from './apply-status.ts'
import type { ApplyTools } from './apply-tools.ts'
import type { ApplyItem } from './webhook-inbox.ts'

/** Template statuses by the events that cause them; other events leave the status as it is. */
const statusOfEvent: Record<string, string> = {
  REINSTATED: 'APPROVED',
  UNARCHIVED: 'APPROVED',
  ...Object.fromEntries(
    [
      ...['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'IN_APPEAL'],
      ...['PENDING_DELETION', 'DELETED', 'LIMIT_EXCEEDED', 'ARCHIVED'],
    ].map((status) => [status, status]),
  ),
}

/** Applies each update. Keeps one without an operator as `unrouted`, to reprocess later. */
export function createItemApplier(options: {
  tools: ApplyTools
  templates: Pick<ReturnType<typeof createTemplates>, 'noteStatus' | 'forget'>
  log: Log
}): ApplyItem {
  const { tools, templates, log } = options
  const { applyMessage, applyEcho } = createMessageApplier(tools)
  const { applyStatus } = createStatusApplier(tools)
  return async (item) => {
    switch (item.kind) {
      case 'template': {
        const { name, language, event } = item
        const status = statusOfEvent[event]
        if (status) templates.noteStatus({ name, language, status })
        else templates.forget()
        return { outcome: 'applied' }
      }
      case 'problem': {
        const { code, title, details, phoneNumberId } = item
        log.error({ code, title, details, phoneNumberId }, 'WhatsApp tells of a problem')
        return { outcome: 'applied' }
      }
      case 'message':
        return await applyMessage(item)
      case 'echo':
        return await applyEcho(item)
      case 'status':
        return await applyStatus(item)
      default:
        return unreachable(item)
    }
  }
}

type Applied = Awaited<ReturnType<ApplyItem>>

/** The common parts of a message or an echo, once its owner is known. */
interface Placed {
  contact: ContactDocument
  phoneNumberId: string
  wamid: string
  sentAt: number
  content: InboundContent
  replyTo: string | null
  isForwarded: boolean
  isEcho: boolean
}

/**
 * Stores customers' messages, and the operator's own from WhatsApp's app, in the operator's
 * databases.
 */
function createMessageApplier(tools: ApplyTools) {
  const { operators, contacts, copies, index, media, files, isBlocked, tell, record, now } = tools

  /** @returns our id of a wamid's message, in either direction */
  async function findMessageId(placed: Placed, wamid: string): Promise<string | undefined> {
    const { ownerId } = placed.contact
    const inbound = inboundMessageKey(placed.phoneNumberId, wamid)
    if (await copies.read(ownerId, inbound)) return inbound
    const own = await index.find(placed.phoneNumberId, wamid)
    return own?.ownerId === ownerId ? own.messageId : undefined
  }

  async function create(placed: Placed): Promise<Applied> {
    const { contact, wamid, content, replyTo, isEcho, sentAt, isForwarded } = placed
    const { ownerId } = contact
    if (isEcho && (await index.find(placed.phoneNumberId, wamid))) return { outcome: 'duplicate' }
    const answered = replyTo === null ? undefined : await findMessageId(placed, replyTo)
    const made = makeInboundMessage({
      contact,
      wamid,
      sentAt,
      content,
      replyTo: answered,
      isForwarded,
      isEcho,
      now: now(),
    })
    if (!made) return { outcome: 'ignored' }
    const message = applyEarlyChange(made, await findEarly(placed, wamid))
    const isRevoked = message.deletedAt !== undefined
    if (content.kind === 'file' && !isRevoked) await keepFile(message, placed, content)
    const { isNew, message: stored } = await copies.create(ownerId, message)
    if (!isEcho) {
      await contacts.recordNewest(contact, { wamid, orderedAt: stored.orderedAt })
    }
    if (!isNew) return { outcome: 'duplicate', messageId: stored._id }
    record({
      phoneNumberId: placed.phoneNumberId,
      type: stored.type,
      kind: isEcho ? 'outbound' : 'inbound',
    })
    if (!isRevoked) tell.received(stored, contact)
    return { outcome: 'created', messageId: stored._id }
  }

  const authorOf = ({ contact, isEcho }: Placed) => (isEcho ? contact.ownerId : contact.contactId)
  const findEarly = (placed: Placed, wamid: string) =>
    index.findEarly({ ...placed, wamid, authorId: authorOf(placed) })

  /**
   * WhatsApp keeps no order: applies the change of a message that is here, and parks one of a
   * message that has yet to come.
   */
  async function changeOrPark(
    placed: Placed,
    wamid: string,
    early: EarlyChange,
    apply: (messageId: string) => Promise<Applied>,
  ): Promise<Applied> {
    const messageId = await findMessageId(placed, wamid)
    if (messageId !== undefined) return await apply(messageId)
    await index.parkEarly({ ...placed, wamid, authorId: authorOf(placed) }, early)
    // The message may have come meanwhile, and have found nothing parked.
    const late = await findMessageId(placed, wamid)
    return late === undefined ? { outcome: 'parked' } : await apply(late)
  }

  /** Stored before the message: a crash between the two finds it. */
  async function keepFile(message: MessageDocument, placed: Placed, file: InboundFile) {
    const { contact, phoneNumberId } = placed
    const { mediaId, mimeType, sha256, filename, url } = file
    await media.keep({
      ownerId: contact.ownerId,
      contactId: contact.contactId,
      messageId: message._id,
      phoneNumberId,
      mediaId,
      mimeType,
      sha256,
      filename,
      url,
    })
  }

  async function change(
    placed: Placed,
    messageId: string,
    next: (stored: MessageDocument) => MessageDocument | null,
  ): Promise<Applied> {
    const changed = await copies.change(placed.contact.ownerId, messageId, next)
    return { outcome: changed?.isChanged ? 'applied' : 'stale', messageId }
  }

  async function react(placed: Placed, wamid: string, emoji: string | null): Promise<Applied> {
    const { sentAt: at } = placed
    const from = authorOf(placed)
    const messageId = await findMessageId(placed, wamid)
    if (messageId === undefined) return { outcome: 'ignored' }
    return await change(placed, messageId, (stored) => {
      const before = stored.reactions?.[from]
      // A removed reaction stays as an empty one, or an older one would return. WhatsApp counts in
      // seconds: within one the last to arrive wins.
      const own: Reaction = { emoji: emoji ?? '', at: Math.max(at, (before?.at ?? 0) + 1) }
      const isOld = before !== undefined && (before.at >= at + 1_000 || before.emoji === own.emoji)
      if (isOld || !isReaction(own.emoji) || stored.deletedAt !== undefined) return null
      return { ...stored, reactions: { ...stored.reactions, [from]: own } }
    })
  }

  async function edit(placed: Placed, wamid: string, to: InboundContent): Promise<Applied> {
    const fields = presentInbound(to)
    if (!fields) return { outcome: 'ignored' }
    const early = { edit: { at: placed.sentAt, content: fields.content } }
    return await changeOrPark(placed, wamid, early, (messageId) =>
      change(placed, messageId, (stored) => {
        const isTheirs = stored.senderId === authorOf(placed) && stored.deletedAt === undefined
        const changed = applyEarlyChange(stored, early)
        return isTheirs && changed !== stored ? changed : null
      }),
    )
  }

  async function revoke(placed: Placed, wamid: string): Promise<Applied> {
    const early = { revokedAt: Math.min(placed.sentAt, now()) }
    return await changeOrPark(placed, wamid, early, async (messageId) => {
      const { ownerId, contactId } = placed.contact
      const before = await copies.read(ownerId, messageId)
      if (!before || before.senderId !== authorOf(placed)) return { outcome: 'ignored' }
      // Remove the file first: a crash then hides, and never reveals.
      if (before.mediaUrl !== undefined) {
        const { mediaUrl } = before
        await files.releaseMedia({ mediaUrl, messageId, userIds: [ownerId, contactId] })
      }
      return await change(placed, messageId, (stored) =>
        stored.deletedAt === undefined ? applyEarlyChange(stored, early) : null,
      )
    })
  }

  async function apply(placed: Placed): Promise<Applied> {
    const { content } = placed
    switch (content.kind) {
      case 'reaction':
        return await react(placed, content.wamid, content.emoji)
      case 'edit':
        return await edit(placed, content.wamid, content.content)
      case 'revoke':
        return await revoke(placed, content.wamid)
      case 'system': {
        const { waId, userId } = content
        await contacts.addAliases(placed.contact, { waId: digitsOf(waId), userId })
        const { ownerId, contactId } = placed.contact
        const contact = (await contacts.find(ownerId, contactId)) ?? placed.contact
        await copies.tellConversation(contact)
        return await create({ ...placed, contact })
      }
      default:
        return await create(placed)
    }
  }

  return {
    async applyMessage(item: MessageItem): Promise<Applied> {
      const { phoneNumberId, displayPhoneNumber, sender, replyTo, sentAt } = item
      const ownerId = await operators.route({ phoneNumberId, person: sender, replyTo })
      if (ownerId === undefined) return { outcome: 'unrouted' }
      const { contact } = await contacts.resolve(
        { ownerId, phoneNumberId, displayPhoneNumber: digitsOf(displayPhoneNumber) },
        sender,
      )
      if (await isBlocked(ownerId, contact.contactId)) return { outcome: 'ignored', ownerId }
      // WhatsApp's own notice about them is no message of theirs: it opens no window.
      const isTheirs = item.content.kind !== 'system'
      const heard = (isTheirs && (await contacts.recordInbound(contact, { sentAt }))) || contact
      await copies.tellConversation(heard)
      return { ...(await apply({ ...item, contact: heard, isEcho: false })), ownerId }
    },

    async applyEcho(item: EchoItem): Promise<Applied> {
      const { phoneNumberId, displayPhoneNumber, recipient } = item
      const ownerId = await operators.route({ phoneNumberId, person: recipient, replyTo: null })
      if (ownerId === undefined) return { outcome: 'unrouted' }
      const { contact } = await contacts.resolve(
        { ownerId, phoneNumberId, displayPhoneNumber: digitsOf(displayPhoneNumber) },
        recipient,
      )
      await copies.tellConversation(contact)
      const echoed = { ...item, contact, replyTo: null, isForwarded: false, isEcho: true }
      return { ...(await apply(echoed)), ownerId }
    },
  }
}

function digitsOf(number: string | null): string | null {
  const digits = (number ?? '').replaceAll(/\D/g, '')
  return digits === '' ? null : digits
}

/** The message with its author's change; the same object if it is older than what stands there. */
function applyEarlyChange(
  message: MessageDocument,
  change: EarlyChange | undefined,
): MessageDocument {
  const { revokedAt, edit } = change ?? {}
  if (revokedAt !== undefined) return blankDeleted({ ...message, deletedAt: revokedAt })
  if (!edit || (message.editedAt ?? 0) >= edit.at) return message
  const content = edit.content.slice(0, limits.messageMaxCharacters)
  return { ...message, content, editedAt: edit.at }
}
