import * as z from 'zod/mini'

/** A message's content, read from the webhook. Any part may be missing. */
export type InboundContent =
  | { kind: 'text'; body: string }
  | InboundFile
  | {
      kind: 'location'
      latitude: number
      longitude: number
      name: string | null
      address: string | null
    }
  | { kind: 'contacts'; contacts: Record<string, unknown>[] }
  | { kind: 'button'; payload: string; text: string }
  | { kind: 'button_reply'; id: string; title: string }
  | { kind: 'list_reply'; id: string; title: string; description: string | null }
  | { kind: 'reaction'; wamid: string; emoji: string | null }
  | { kind: 'order'; itemCount: number; text: string | null }
  | { kind: 'system'; body: string; waId: string | null; userId: string | null }
  | { kind: 'edit'; wamid: string; content: InboundContent }
  | { kind: 'revoke'; wamid: string }
  | { kind: 'unsupported'; errorCode: number | null; what: string }

export interface InboundFile {
  kind: 'file'
  fileType: 'image' | 'video' | 'audio' | 'document' | 'sticker'
  mediaId: string
  mimeType: string
  /** Base64. */
  sha256: string | null
  caption: string | null
  filename: string | null
  url: string | null
  isVoice: boolean
}

const text = z.catch(z.optional(z.string()), undefined)
const file = z.looseObject({
  id: z.string(),
  mime_type: z.catch(z.string(), 'application/octet-stream'),
  sha256: text,
  caption: text,
  filename: text,
  url: text,
  voice: z.catch(z.optional(z.boolean()), undefined),
})
const place = z.looseObject({
  latitude: z.coerce.number(),
  longitude: z.coerce.number(),
  name: text,
  address: text,
})
const interactive = z.looseObject({
  button_reply: z.optional(z.looseObject({ id: z.string(), title: z.string() })),
  list_reply: z.optional(z.looseObject({ id: z.string(), title: z.string(), description: text })),
  nfm_reply: z.optional(z.looseObject({ body: text, name: text })),
})
const reaction = z.looseObject({ message_id: z.string(), emoji: text })
const order = z.looseObject({ text, product_items: z.catch(z.array(z.unknown()), []) })
const system = z.looseObject({ body: z.catch(z.string(), ''), wa_id: text, user_id: text })
const edit = z.looseObject({
  original_message_id: z.string(),
  message: z.looseObject({ type: z.string() }),
})
const revoke = z.looseObject({ original_message_id: z.string() })
const errors = z.catch(z.array(z.looseObject({ code: z.coerce.number() })), [])
const anyContacts = z.array(z.record(z.string(), z.unknown()))

const fileTypes = ['image', 'video', 'audio', 'document', 'sticker'] as const

/**
 * Reads the part of a message named by its type. An unknown type, or an incomplete one, is
 * `unsupported`.
 */
export function readInboundContent(
  message: { type: string } & Record<string, unknown>,
): InboundContent {
  return readKnown(message) ?? describeUnsupported(message)
}

function describeUnsupported({ type, ...message }: { type: string } & Record<string, unknown>) {
  const [first] = errors.parse(message.errors)
  return { kind: 'unsupported', errorCode: first?.code ?? null, what: type } as const
}

function readKnown(message: { type: string } & Record<string, unknown>): InboundContent | null {
  const { type } = message
  const own = message[type]
  const fileType = fileTypes.find((one) => one === type)
  if (fileType) return readFile(fileType, own)
  switch (type) {
    case 'text':
      return take(z.looseObject({ body: z.string() }), own, ({ body }) => ({ kind: 'text', body }))
    case 'location':
      return take(place, own, ({ latitude, longitude, name = null, address = null }) => ({
        kind: 'location',
        latitude,
        longitude,
        name,
        address,
      }))
    case 'contacts':
      return take(anyContacts, own, (contacts) => ({ kind: 'contacts', contacts }))
    case 'button':
      return take(z.looseObject({ payload: text, text: z.string() }), own, (button) => ({
        kind: 'button',
        payload: button.payload ?? button.text,
        text: button.text,
      }))
    case 'interactive':
      return readInteractive(own)
    case 'reaction':
      // Missing or empty: the person removed the reaction.
      return take(reaction, own, ({ message_id, emoji }) => ({
        kind: 'reaction',
        wamid: message_id,
        emoji: emoji || null,
      }))
    case 'order':
      return take(order, own, ({ product_items, text: words = null }) => ({
        kind: 'order',
        itemCount: product_items.length,
        text: words,
      }))
    case 'system':
      return take(system, own, ({ body, wa_id = null, user_id = null }) => ({
        kind: 'system',
        body,
        waId: wa_id,
        userId: user_id,
      }))
    case 'edit':
      // An edit of an edit does not exist; reading it would recurse as deep as a sender likes.
      return take(edit, own, ({ original_message_id, message: changed }) => ({
        kind: 'edit',
        wamid: original_message_id,
        content:
          changed.type === 'edit' ? describeUnsupported(changed) : readInboundContent(changed),
      }))
    case 'revoke':
      return take(revoke, own, ({ original_message_id }) => ({
        kind: 'revoke',
        wamid: original_message_id,
      }))
    default:
      return null
  }
}

function readFile(fileType: InboundFile['fileType'], given: unknown): InboundContent | null {
  return take(file, given, (one) => ({
    kind: 'file',
    fileType,
    mediaId: one.id,
    mimeType: one.mime_type,
    sha256: one.sha256 ?? null,
    caption: one.caption ?? null,
    filename: one.filename ?? null,
    url: one.url ?? null,
    isVoice: one.voice ?? false,
  }))
}

function readInteractive(given: unknown): InboundContent | null {
  const read = interactive.safeParse(given)
  if (!read.success) return null
  const { button_reply, list_reply, nfm_reply } = read.data
  if (button_reply) {
    return { kind: 'button_reply', id: button_reply.id, title: button_reply.title }
  }
  if (list_reply) {
    const { id, title, description = null } = list_reply
    return { kind: 'list_reply', id, title, description }
  }
  return nfm_reply ? { kind: 'text', body: nfm_reply.body ?? nfm_reply.name ?? '' } : null
}

function take<Shape extends z.ZodMiniType>(
  shape: Shape,
  given: unknown,
  make: (read: z.output<Shape>) => InboundContent,
): InboundContent | null {
  const read = shape.safeParse(given)
  return read.success ? make(read.data) : null
}
