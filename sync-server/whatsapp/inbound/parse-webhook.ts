import * as z from 'zod/mini'
import { mapInTurns } from '../../lib/map-in-turns.ts'
import type { ContactIdentity } from '../customers/contact-identity.ts'
import { readInboundContent } from './inbound-content.ts'
import { readStatusWord } from './next-status.ts'
import type {
  EchoItem,
  IgnoredItem,
  MessageItem,
  ProblemItem,
  StatusItem,
  TemplateItem,
  WebhookItem,
} from './webhook-items.ts'

const update = z.looseObject({
  event: z.string(),
  message_template_name: z.string(),
  message_template_language: z.string(),
  reason: z.catch(z.nullish(z.string()), null),
})

const text = z.catch(z.optional(z.string()), undefined)
const anyRecord = z.record(z.string(), z.unknown())
const list = z.catch(z.array(z.unknown()), [])

const envelope = z.looseObject({
  entry: z.array(z.looseObject({ changes: z.catch(z.array(z.unknown()), []) })),
})
const change = z.looseObject({ field: z.string(), value: z.looseObject({}) })

const messagesValue = z.looseObject({
  metadata: z.looseObject({ phone_number_id: z.string(), display_phone_number: text }),
  contacts: list,
  messages: list,
  statuses: list,
  errors: list,
  message_echoes: list,
})
/** With its contacts by both ids, the first of each; and the first of all. */
type MessagesValue = z.output<typeof messagesValue> & { known: KnownContacts }

const contact = z.looseObject({
  profile: z.catch(z.optional(z.looseObject({ name: text, username: text })), undefined),
  wa_id: text,
  user_id: text,
  parent_user_id: text,
})

interface KnownContacts {
  first: Contact | undefined
  /** Each with its place: an item's contact is the earliest with either of its ids. */
  byWaId: ReadonlyMap<string, Placed>
  byUserId: ReadonlyMap<string, Placed>
}
type Contact = z.output<typeof contact>
type Placed = Contact & { place: number }

/** Whole seconds, as text or number, within a date's range. */
const seconds = z.coerce.number().check(z.gte(0), z.lte(8.64e12))

const message = z.looseObject({
  id: z.string().check(z.minLength(1)),
  timestamp: seconds,
  type: z.string(),
  from: text,
  from_user_id: text,
  from_parent_user_id: text,
  group_id: text,
  to: text,
  to_user_id: text,
  context: z.catch(
    z.optional(
      z.looseObject({
        id: text,
        forwarded: z.optional(z.boolean()),
        frequently_forwarded: z.optional(z.boolean()),
      }),
    ),
    undefined,
  ),
  referral: z.catch(z.optional(anyRecord), undefined),
})

const fault = z.looseObject({
  code: z.coerce.number(),
  title: text,
  message: text,
  error_data: z.catch(z.optional(z.looseObject({ details: text })), undefined),
})

const status = z.looseObject({
  id: z.string().check(z.minLength(1)),
  status: z.string(),
  timestamp: seconds,
  recipient_id: text,
  recipient_user_id: text,
  recipient_type: text,
  biz_opaque_callback_data: text,
  errors: list,
  pricing: z.catch(z.optional(anyRecord), undefined),
})

/**
 * Splits a webhook into independent items, by entry, change and update: unreadable ones are
 * `ignored` and block nothing else. Messages come before statuses. One webhook may carry twenty
 * thousand: others work meanwhile (P12).
 * @param body the parsed JSON
 * @returns null if it is no webhook
 */
export async function parseWebhook(body: unknown): Promise<WebhookItem[] | null> {
  const envelopeRead = envelope.safeParse(body)
  if (!envelopeRead.success) return null
  const items: WebhookItem[] = []
  for (const { changes } of envelopeRead.data.entry) {
    for (const one of changes) for (const item of await readChange(one)) items.push(item)
  }
  const isMessage = ({ kind }: WebhookItem) => kind === 'message' || kind === 'echo'
  return [...items.filter(isMessage), ...items.filter((item) => !isMessage(item))]
}

async function readChange(given: unknown): Promise<WebhookItem[]> {
  const read = change.safeParse(given)
  if (!read.success) return [{ kind: 'ignored', field: '', why: 'unreadable change' }]
  const { field, value } = read.data
  if (field === 'message_template_status_update') return [readTemplateUpdate(value)]
  if (field !== 'messages' && field !== 'smb_message_echoes') {
    return [{ kind: 'ignored', field, why: 'a field that is not used' }]
  }
  const known = messagesValue.safeParse(value)
  if (!known.success) return [{ kind: 'ignored', field, why: 'unreadable value' }]
  return await readValue(field, { ...known.data, known: await readContacts(known.data.contacts) })
}

async function readContacts(given: readonly unknown[]): Promise<KnownContacts> {
  const read = await mapInTurns(given, (one) => contact.safeParse(one).data)
  const found = read.flatMap((one, place) => (one ? [{ ...one, place }] : []))
  // The first of several stays: a later entry of a map replaces an earlier one.
  const index = (idOf: (one: Placed) => string | undefined) =>
    new Map(
      found.toReversed().flatMap((one) => {
        const id = idOf(one)
        return id === undefined ? [] : [[id, one] as const]
      }),
    )
  return {
    first: found[0],
    byWaId: index(({ wa_id }) => wa_id),
    byUserId: index(({ user_id }) => user_id),
  }
}

async function readValue(field: string, value: MessagesValue): Promise<WebhookItem[]> {
  const unreadable = { kind: 'ignored', field, why: 'unreadable item' } as const
  const readers = [
    { given: value.messages, read: readMessage },
    { given: value.message_echoes, read: readEcho },
    { given: value.statuses, read: readStatus },
    { given: value.errors, read: readProblem },
  ]
  const own = readers.map(({ given, read }) =>
    mapInTurns(given, (one) => read(value, one) ?? unreadable),
  )
  return (await Promise.all(own)).flat()
}

function describeNumber({ metadata }: MessagesValue) {
  const { phone_number_id: phoneNumberId, display_phone_number } = metadata
  return { phoneNumberId, displayPhoneNumber: display_phone_number ?? null }
}

function readMessage(value: MessagesValue, given: unknown): MessageItem | WebhookItem | null {
  const read = message.safeParse(given)
  if (!read.success) return null
  const { data } = read
  if (data.group_id) return { kind: 'ignored', field: 'messages', why: 'a message of a group' }
  const { context, referral = null } = data
  const sender = identify(value, {
    waId: data.from,
    userId: data.from_user_id,
    parentUserId: data.from_parent_user_id,
  })
  if (sender.waId === null && sender.userId === null) return null
  return {
    kind: 'message',
    ...describeNumber(value),
    wamid: data.id,
    sentAt: data.timestamp * 1_000,
    sender,
    content: readInboundContent(data),
    replyTo: context?.id ?? null,
    referral,
    isForwarded: context?.forwarded === true || context?.frequently_forwarded === true,
  }
}

function readEcho(value: MessagesValue, given: unknown): EchoItem | null {
  const read = message.safeParse(given)
  if (!read.success) return null
  const { id: wamid, timestamp, to, to_user_id } = read.data
  const recipient = identify(value, { waId: to, userId: to_user_id })
  if (recipient.waId === null && recipient.userId === null) return null
  const content = readInboundContent(read.data)
  const sentAt = timestamp * 1_000
  return { kind: 'echo', ...describeNumber(value), wamid, sentAt, recipient, content }
}

function readStatus(value: MessagesValue, given: unknown): StatusItem | WebhookItem | null {
  const read = status.safeParse(given)
  if (!read.success) return null
  const { data } = read
  if (data.recipient_type === 'group') {
    return { kind: 'ignored', field: 'messages', why: 'a status of a group' }
  }
  const word = readStatusWord(data.status)
  if (!word) return { kind: 'ignored', field: 'messages', why: 'a status that is not known' }
  const first = fault.safeParse(data.errors[0])
  return {
    kind: 'status',
    ...describeNumber(value),
    wamid: data.id,
    status: word,
    at: data.timestamp * 1_000,
    recipient: identify(value, { waId: data.recipient_id, userId: data.recipient_user_id }),
    messageId: data.biz_opaque_callback_data ?? null,
    error: first.success ? describeFault(first.data) : null,
    pricing: data.pricing ?? null,
  }
}

function readProblem(value: MessagesValue, given: unknown): ProblemItem | null {
  const read = fault.safeParse(given)
  if (!read.success) return null
  return { kind: 'problem', ...describeNumber(value), ...describeFault(read.data) }
}

function describeFault({ code, title, message: words, error_data }: z.output<typeof fault>) {
  return { code, title: title ?? words ?? '', details: error_data?.details ?? null }
}

/** Joins the item's sender with the matching contact: by either id, else the first one. */
function identify(
  { known }: MessagesValue,
  own: {
    waId?: string | undefined
    userId?: string | undefined
    parentUserId?: string | undefined
  },
): ContactIdentity {
  const one = own.waId === undefined ? undefined : known.byWaId.get(own.waId)
  const other = own.userId === undefined ? undefined : known.byUserId.get(own.userId)
  const matching = one && other ? (one.place < other.place ? one : other) : (one ?? other)
  const its = matching ?? known.first
  const isOther =
    (own.waId !== undefined && its?.wa_id !== undefined && its.wa_id !== own.waId) ||
    (own.userId !== undefined && its?.user_id !== undefined && its.user_id !== own.userId)
  const theirs = isOther ? undefined : its
  return {
    waId: toDigits(own.waId ?? theirs?.wa_id),
    userId: own.userId ?? theirs?.user_id ?? null,
    parentUserId: own.parentUserId ?? theirs?.parent_user_id ?? null,
    username: theirs?.profile?.username ?? null,
    name: theirs?.profile?.name ?? null,
  }
}

function toDigits(waId: string | undefined): string | null {
  const digits = (waId ?? '').replaceAll(/\D/g, '')
  return digits === '' ? null : digits
}

/** A template's new status. The language is hyphenated here, and underscored elsewhere. */
function readTemplateUpdate(value: unknown): TemplateItem | IgnoredItem {
  const read = update.safeParse(value)
  if (!read.success) {
    return { kind: 'ignored', field: 'message_template_status_update', why: 'unreadable value' }
  }
  const { event, message_template_name: name, message_template_language, reason } = read.data
  const language = message_template_language.replace('-', '_')
  return { kind: 'template', name, language, event, reason: reason ?? null }
}
