import type { MessageDocument } from '../../../schema/message.ts'
import { refuse } from '../../../schema/refusal.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { Media } from '../../media/media.ts'
import { parseMediaUrl } from '../../media/media-documents.ts'
import type { OutboxEntry } from '../../messages/acceptance/outbox-entry.ts'
import type { ChannelClock } from '../client/channel-clock.ts'
import type { ProviderError } from '../client/provider-error.ts'
import {
  describeProviderFailure,
  noConfirmation,
  notLinked,
  numberOfAnother,
  type SendFailure,
  windowClosed,
} from '../client/provider-errors.ts'
import type { WhatsAppSettings } from '../client/whatsapp-settings.ts'
import type { Recipient } from '../content/build-send-body.ts'
import type { createWhatsAppMedia } from '../content/channel-media.ts'
import { refuseMedia } from '../content/media-types.ts'
import { readOutgoing } from '../content/outgoing-content.ts'
import type { OutgoingMessage } from '../content/outgoing-message.ts'
import type { ContactDocument } from '../customers/contact-documents.ts'
import type { Contacts } from '../customers/contacts.ts'
import { findCurrentNumber, findWindowEnd } from '../customers/present-contact.ts'
import type { MessageIndex } from '../inbound/message-index.ts'
import type { OperatorCopies } from '../inbound/operator-copies.ts'
import type { Operators } from '../inbound/operators.ts'
import type { createMessageSender } from './send-message.ts'
import type { OutboxAnswer, TryOutcome } from './send-queue.ts'
import type { createTemplates } from './templates.ts'

/**
 * Waits before uploading a file again, until its message is given up; each try only costs bytes.
 */
const uploadRetryMs = [5_000, 30_000, 120_000, 600_000]
const missingWaitMs = 5_000
const missingMaxMs = 60_000

const templateIsWrong = [132000, 132001]

interface Prepared {
  contact: ContactDocument
  message: MessageDocument
  outgoing: OutgoingMessage
}

/**
 * Sends one stored message over the channel and records the result. Writes any refusal into the
 * message with its reason, and keeps its words (P6).
 * @param onStatus called with a message that progressed, or failed
 */
export function createQueuedSender(options: {
  copies: OperatorCopies
  contacts: Contacts
  operators: Operators
  accounts: Pick<Accounts, 'findByNumberId'>
  index: MessageIndex
  files: Pick<Media, 'find' | 'read'>
  media: Pick<ReturnType<typeof createWhatsAppMedia>, 'upload'>
  templates: ReturnType<typeof createTemplates>
  sender: ReturnType<typeof createMessageSender>
  settings: Pick<WhatsAppSettings, 'isWindowEnforced'>
  clock: Pick<ChannelClock, 'now'>
  applyParked: (phoneNumberId: string, wamid: string) => Promise<void>
  onStatus: (ownerId: string, message: MessageDocument) => void
  recordSent: (phoneNumberId: string, type: string) => void
}) {
  const { copies, contacts, operators, accounts, index, files, media, templates } = options
  const { sender, settings, clock, applyParked, onStatus, recordSent } = options

  async function fail(
    entry: OutboxEntry,
    failure: SendFailure,
    answered: { status: number; details?: string | null } = { status: 422 },
  ): Promise<TryOutcome> {
    const timestamp = clock.now()
    const { code, words } = failure
    const changed = await copies.change(entry.ownerId, entry.messageId, (stored) => {
      if (stored.attempt !== entry.attempt || stored.status !== 'sent') return null
      return {
        ...stored,
        status: 'failed',
        waState: 'refused',
        error: words,
        errorCode: code,
        statusHistory: [...stored.statusHistory, { status: 'failed', timestamp }],
      }
    })
    if (changed?.isChanged) onStatus(entry.ownerId, changed.message)
    const answer: OutboxAnswer = {
      kind: 'failed',
      code,
      words,
      status: answered.status,
      details: answered.details ?? null,
    }
    return { kind: 'gone', answer }
  }

  function failProvider(entry: OutboxEntry, error: ProviderError): Promise<TryOutcome> {
    const { code, words, status, details } = error
    return fail(entry, describeProviderFailure(code, words), { status, details })
  }

  /** The message to send, or the result without sending. */
  async function prepare(entry: OutboxEntry): Promise<Prepared | TryOutcome> {
    const { ownerId, contactId, messageId, attempt, orderedAt } = entry
    const message = await copies.read(ownerId, messageId)
    if (!message) {
      // On a CouchDB it may be about to be stored; a crash in between brings it again.
      return clock.now() - orderedAt > missingMaxMs
        ? settled
        : { kind: 'later', afterMs: missingWaitMs }
    }
    const isDue =
      message.attempt === attempt && message.status === 'sent' && message.waState === 'queued'
    if (!isDue || message.deletedAt !== undefined) return settled
    const contact = await contacts.find(ownerId, contactId)
    if (!contact) return await fail(entry, describeRefusal('unknown_person'))
    const forbidden = await forbidSend(ownerId, contact)
    if (forbidden) return await fail(entry, forbidden, { status: 403 })
    if (isWindowClosed(contact, message)) {
      // They may just have written, on another server.
      const now = await contacts.readAgain(contact)
      if (isWindowClosed(now, message)) return await fail(entry, windowClosed)
    }
    const uploaded = await upload(entry, message, contact)
    if (uploaded !== undefined && typeof uploaded !== 'string') return uploaded
    const read = readOutgoing(message, uploaded)
    if ('refusal' in read) {
      return await fail(entry, { code: 'whatsapp_invalid', words: read.refusal }, { status: 400 })
    }
    const outgoing = read.message
    if (outgoing.type !== 'template') return { contact, message, outgoing }
    const content = await templates.resolveLanguage(outgoing.content)
    return { contact, message, outgoing: { type: 'template', content } }
  }

  /** Sends only over the owner's own number, or one without an operator. */
  async function forbidSend(
    ownerId: string,
    { phoneNumberId }: ContactDocument,
  ): Promise<SendFailure | null> {
    if ((await operators.findPlace(ownerId)) === null) return notLinked
    const operator = await accounts.findByNumberId(phoneNumberId)
    // Their customer's replies would go to somebody else.
    return operator && operator.userId !== ownerId ? numberOfAnother : null
  }

  function isWindowClosed(contact: ContactDocument, { type }: MessageDocument): boolean {
    if (!settings.isWindowEnforced || type === 'template') return false
    return clock.now() >= (findWindowEnd(contact) ?? 0)
  }

  /** @returns WhatsApp's id of the message's own file; undefined without one */
  async function upload(
    entry: OutboxEntry,
    message: MessageDocument,
    { phoneNumberId }: ContactDocument,
  ): Promise<string | undefined | TryOutcome> {
    const mediaId = message.mediaUrl === undefined ? undefined : parseMediaUrl(message.mediaUrl)
    if (mediaId === undefined) return undefined
    const file = await files.find(mediaId, entry.ownerId)
    if (!file) return await fail(entry, describeRefusal('media_not_allowed'))
    const { mimeType, size, filename } = file
    const type = fileTypeOf(message)
    const refusal = refuseMedia({ mimeType, size, type })
    if (refusal !== null) {
      return await fail(entry, { code: 'whatsapp_file_refused', words: refusal }, { status: 400 })
    }
    const parts: Uint8Array<ArrayBuffer>[] = []
    for await (const part of files.read(file, { start: 0, end: size - 1 })) {
      parts.push(Uint8Array.from(part))
    }
    const bytes = new Blob(parts)
    const uploaded = await media.upload({ phoneNumberId, bytes, mimeType, filename })
    if (uploaded.kind === 'found') return uploaded.value
    if (uploaded.kind === 'refused' && uploaded.error.remedy !== 'later') {
      return await failProvider(entry, uploaded.error)
    }
    const afterMs = uploadRetryMs[entry.tries - 1]
    if (afterMs === undefined) return await fail(entry, describeProviderFailure(131053))
    return { kind: 'later', afterMs }
  }

  async function findQuoted({ ownerId }: OutboxEntry, { replyTo }: MessageDocument) {
    if (replyTo === undefined) return undefined
    return (await copies.read(ownerId, replyTo))?.whatsapp_message_id
  }

  return {
    async attempt(entry: OutboxEntry): Promise<TryOutcome> {
      const prepared = await prepare(entry)
      if ('kind' in prepared) return prepared
      const { contact, message, outgoing } = prepared
      const { phoneNumberId } = contact
      const outcome = await sender.send({
        phoneNumberId,
        to: readRecipient(contact),
        message: outgoing,
        messageId: entry._id,
        replyTo: await findQuoted(entry, message),
        attempt: entry.tries - 1,
      })
      switch (outcome.kind) {
        case 'accepted':
          return await recordAccepted(entry, contact, outcome)
        case 'rejected':
          if (templateIsWrong.includes(outcome.error.code ?? 0)) templates.forget()
          return await failProvider(entry, outcome.error)
        case 'retryable':
          return { kind: 'later', afterMs: outcome.afterMs }
        default:
          await copies.change(entry.ownerId, entry.messageId, (stored) =>
            stored.attempt === entry.attempt && stored.waState === 'queued'
              ? { ...stored, waState: 'unknown' }
              : null,
          )
          return { kind: 'unknown' }
      }
    },

    /** The outcome is unknown: its author may resend. A later status heals it. */
    async giveUp(entry: OutboxEntry): Promise<void> {
      // A crash may have come between recording WhatsApp's answer and ending the entry.
      const message = await copies.read(entry.ownerId, entry.messageId)
      const { waState } = message ?? {}
      const isTaken = waState === 'accepted' || waState === 'held'
      if (!isTaken) await fail(entry, noConfirmation)
    },
  }

  async function recordAccepted(
    entry: OutboxEntry,
    contact: ContactDocument,
    outcome: {
      wamid: string
      waId: string | null
      userId: string | null
      messageStatus: string | null
    },
  ): Promise<TryOutcome> {
    const { ownerId, messageId, attempt } = entry
    const { wamid, waId, userId, messageStatus } = outcome
    const { phoneNumberId } = contact
    await index.put(phoneNumberId, wamid, { ownerId, messageId, attempt })
    await contacts.addAliases(contact, { waId, userId })
    const number = waId ?? contact.waId ?? contact.phone
    const changed = await copies.change(ownerId, messageId, (stored) => {
      if (stored.attempt !== attempt) return null
      const { displayPhoneNumber } = contact
      return {
        ...stored,
        whatsapp_message_id: wamid,
        whatsapp_timestamp: stored.whatsapp_timestamp ?? new Date(clock.now()).toISOString(),
        waState:
          stored.status === 'failed' ? 'refused' : isHeld(messageStatus) ? 'held' : 'accepted',
        ...(displayPhoneNumber !== null && { from_phone: displayPhoneNumber }),
        ...(number !== null && { to_phone: number }),
      }
    })
    await applyParked(phoneNumberId, wamid)
    const known = await contacts.find(ownerId, contact.contactId)
    if (known) await copies.tellConversation(known)
    const operator = await accounts.findByNumberId(phoneNumberId)
    if (!operator && number !== null) await contacts.recordWriter(phoneNumberId, number, ownerId)
    if (changed?.isChanged) {
      recordSent(phoneNumberId, changed.message.type)
      onStatus(ownerId, changed.message)
    }
    return settled
  }
}

const settled: TryOutcome = { kind: 'gone', answer: { kind: 'settled' } }

function isHeld(messageStatus: string | null): boolean {
  return messageStatus !== null && messageStatus !== 'accepted'
}

function describeRefusal(code: 'unknown_person' | 'media_not_allowed'): SendFailure {
  return { code, words: refuse(code).error }
}

/** The person's number; their id if they hide it. */
function readRecipient(contact: ContactDocument): Recipient {
  const number = findCurrentNumber(contact)
  if (number !== null) return { phone: number }
  const { userId } = contact
  if (userId === null) throw new Error('a contact without any name')
  return { userId }
}

function fileTypeOf({ type }: MessageDocument) {
  return type === 'image' || type === 'video' || type === 'audio' ? type : 'document'
}
