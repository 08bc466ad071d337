import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod/mini'
import type { ErrorCode } from '../../../schema/api/api-error.ts'
import { idPattern } from '../../../schema/id.ts'
import { limits } from '../../../schema/limits.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { RequestRefused } from '../../http/core/request-refused.ts'
import { outboxEntryKey } from '../../messages/acceptance/outbox-entry.ts'
import type { Acceptance } from '../../messages/message-acceptance.ts'
import { proposeMessage } from '../../messages/proposals/proposal.ts'
import { readWritten } from '../content/written-message.ts'
import type { ContactDocument } from '../customers/contact-documents.ts'
import type { ContactPlace, Contacts } from '../customers/contacts.ts'
import type { OperatorCopies } from '../inbound/operator-copies.ts'
import type { Operators } from '../inbound/operators.ts'
import type { Outbox, OutboxAnswer } from './send-queue.ts'
import type { Template } from './template-list.ts'
import type { createTemplates } from './templates.ts'

const values = z.catch(
  z.array(
    z.looseObject({
      type: z.string(),
      parameters: z.catch(z.array(z.looseObject({})), []),
    }),
  ),
  [],
)

export interface ChannelSend {
  ownerId: string
  /** A number in any formatting, or the id of a contact. */
  to: string
  type: string
  message: unknown
  /** Makes a repeated call idempotent (P2). */
  messageId?: string | undefined
  replyToMessageId?: string | undefined
}

/** A sent message: `isQueued` when it goes out later, or its outcome is unknown so far. */
export interface ChannelSent {
  message: MessageDocument
  contact: ContactDocument
  isQueued: boolean
  isNew: boolean
}

/** A browser waits fifteen seconds in all. */
const answeredWithinMs = 12_000

const badFormat = 'Invalid phone number format. Please use international format (e.g., +1234567890)'

/**
 * The channel's operations for REST calls and sockets. All store a message first, then send the
 * stored one.
 */
export function createChannelCalls(options: {
  contacts: Contacts
  operators: Operators
  copies: OperatorCopies
  outbox: Pick<Outbox, 'waitFor'>
  templates: ReturnType<typeof createTemplates>
  /** The way in for people, with its limits. */
  acceptMessages: Acceptance['acceptMessages']
}) {
  const { contacts, operators, copies, outbox, templates, acceptMessages } = options

  /** @throws RequestRefused `whatsapp_not_linked` */
  async function requirePlace(ownerId: string): Promise<ContactPlace> {
    const place = await operators.findPlace(ownerId)
    if (!place) throw new RequestRefused('whatsapp_not_linked')
    return place
  }

  async function begin(
    place: ContactPlace,
    phone: string,
    name: string | null = null,
  ): Promise<{ contact: ContactDocument; isNew: boolean }> {
    const known = await contacts.findByPhone(place, phone)
    if (known) {
      await copies.tellConversation(known)
      return { contact: known, isNew: false }
    }
    const nobody = { userId: null, parentUserId: null, username: null }
    const identity = { waId: phone, ...nobody, name }
    const made = await contacts.resolve(place, identity, { phone })
    await copies.tellConversation(made.contact)
    return made
  }

  async function findRecipient(place: ContactPlace, to: string): Promise<ContactDocument> {
    const known = idPattern.test(to) ? await contacts.find(place.ownerId, to) : undefined
    if (known) return known
    const { contact } = await begin(place, readNumber(to))
    return contact
  }

  async function render(name: string, language: string, components: unknown): Promise<string> {
    const listed = await templates.list()
    const known = listed.kind === 'found' ? listed.value : []
    const named = known.filter((one) => one.name === name)
    const fitting = named.find((one) => one.language === language) ?? named[0]
    return renderTemplate(fitting, components) || name
  }

  async function send(asked: ChannelSend): Promise<ChannelSent> {
    const { ownerId, to, messageId = uuidv7() } = asked
    const place = await requirePlace(ownerId)
    const fields = await readWritten(asked.type, asked.message, render)
    if ('refusal' in fields) throw new RequestRefused('invalid_input', { words: fields.refusal })
    const contact = await findRecipient(place, to)
    const before = await copies.read(ownerId, messageId)
    if (before && before.status !== 'failed') {
      if (before.peerId !== contact.contactId) throw new RequestRefused('foreign_id')
      return { message: before, contact, isQueued: before.waState === 'queued', isNew: false }
    }
    const proposal = proposeMessage({
      senderId: ownerId,
      recipientId: contact.contactId,
      message: {
        _id: messageId,
        content: fields.content,
        type: fields.type,
        replyToMessageId: asked.replyToMessageId,
        mediaUrl: fields.mediaUrl,
      },
    })
    const attempt = (before?.attempt ?? 0) + 1
    const { type, content, mediaUrl, ...payload } = fields
    const raw = {
      ...proposal.raw,
      ...payload,
      attempt,
      ...(before && { editedAt: Date.now() }),
    }
    const waiting = outbox.waitFor(
      outboxEntryKey({ ownerId, messageId, attempt }),
      answeredWithinMs,
    )
    try {
      const proposals = [{ ...proposal, raw }]
      const [outcome] = await acceptMessages({ actorId: ownerId, proposals })
      if (outcome?.kind === 'heldBack') throw refuseWith(outcome.refusal)
      if (outcome?.kind !== 'stored') throw new Error('what was no deletion is not stored')
      if (outcome.refusal) throw refuseWith(outcome.refusal, messageId)
      if (outcome.doc.waState !== 'queued') waiting.cancel()
    } catch (error) {
      waiting.cancel()
      throw error
    }
    const answer = await waiting.answer
    if (answer.kind === 'failed') throw refuseAnswer(answer, messageId)
    const message = await copies.read(ownerId, messageId)
    if (!message) throw new Error('what was sent is not stored')
    const isQueued = message.waState === 'queued' || message.waState === 'unknown'
    // WhatsApp's answer names their number in its own form.
    const named = (await contacts.find(ownerId, contact.contactId)) ?? contact
    return { message, contact: named, isQueued, isNew: true }
  }

  return {
    send,

    /** Adds a recipient; their conversation begins, and reaches each device. */
    async addContact(asked: { ownerId: string; phone: string; name: string | null }) {
      const place = await requirePlace(asked.ownerId)
      return await begin(place, readNumber(asked.phone), asked.name)
    },

    requirePlace,

    /** The contact of a number; undefined without one, or without a link. */
    async findByPhone(ownerId: string, digits: string): Promise<ContactDocument | undefined> {
      const place = await operators.findPlace(ownerId)
      return place ? await contacts.findByPhone(place, digits) : undefined
    },

    async listTemplates(ownerId: string) {
      await requirePlace(ownerId)
      const listed = await templates.list()
      if (listed.kind === 'refused') throw refuseProvider(listed.error)
      if (listed.kind === 'unanswered') throw new RequestRefused('whatsapp_unreachable')
      return listed.value.filter(({ status }) => status === 'APPROVED')
    },
  }
}

/** @throws RequestRefused `invalid_input` */
function readNumber(text: string): string {
  const digits = text.replaceAll(/\D/g, '')
  const { min, max } = limits.phoneDigits
  if (digits.length < min || digits.length > max) {
    throw new RequestRefused('invalid_input', { words: badFormat })
  }
  return digits
}

const codeOfStatus: Record<number, ErrorCode> = {
  400: 'invalid_input',
  403: 'whatsapp_not_linked',
  422: 'whatsapp_refused',
  429: 'whatsapp_slowed',
  502: 'whatsapp_unreachable',
  503: 'whatsapp_unavailable',
}

function refuseAnswer(
  { status, words, details, code }: Extract<OutboxAnswer, { kind: 'failed' }>,
  messageId: string,
): RequestRefused {
  const reason = codeOfStatus[status] ?? 'whatsapp_refused'
  const said = [code, details].filter(Boolean).join(': ')
  return new RequestRefused(reason, { words, details: said, messageId })
}

function refuseProvider(error: { status: number; words: string; details: string | null }) {
  const reason = codeOfStatus[error.status] ?? 'whatsapp_refused'
  return new RequestRefused(reason, { words: error.words, details: error.details ?? undefined })
}

function refuseWith(refusal: { code: ErrorCode; error: string }, messageId?: string) {
  return new RequestRefused(refusal.code, { words: refusal.error, messageId })
}

/**
 * A template's text for its recipient: its body with the values inserted.
 * @param components the values, as sent
 */
function renderTemplate(template: Template | undefined, components: unknown): string {
  const body = template?.components.find(({ type }) => type.toUpperCase() === 'BODY')?.text
  if (!template || body === undefined) return ''
  const given = values.parse(components).find(({ type }) => type.toLowerCase() === 'body')
  const parameters = given?.parameters ?? []
  return body.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (hole, name: string) => {
    const named = parameters.find((one) => one.parameter_name === name)
    return sayValue(named ?? parameters[Number(name) - 1]) ?? hole
  })
}

function sayValue(parameter: Record<string, unknown> | undefined): string | undefined {
  if (!parameter) return undefined
  if (typeof parameter.text === 'string') return parameter.text
  const inner = parameter[String(parameter.type)]
  const fallback = (inner as { fallback_value?: unknown } | undefined)?.fallback_value
  return typeof fallback === 'string' ? fallback : undefined
}
