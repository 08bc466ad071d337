import type * as z from 'zod/mini'
import { conversationAnswer } from '../../../schema/api/conversation-answer.ts'
import { messageAnswer, messageParty } from '../../../schema/api/message-answer.ts'
import { whatsAppContact } from '../../../schema/api/whatsapp-link.ts'
import { ownUser, publicUser } from '../../../schema/user.ts'

type Blank = Readonly<Record<string, null | false | readonly never[]>>
type Complete = (value: unknown) => unknown

const ofParty: Blank = { phone_number: null, wa_id: null, whatsapp_name: null }
const ofUser: Blank = { ...ofParty, phone_number_id: null, profile: null }
const ofMessage: Blank = {
  ...{ replyTo: null, mediaUrl: null, error: null, isWhatsApp: false, senderName: null },
  ...{ whatsapp_message_id: null, whatsapp_timestamp: null, from_phone: null, to_phone: null },
  ...{ interactive: null, location: null, contacts: [], button: null, list_reply: null },
  template: null,
}
const ofConversation: Blank = {
  ...{ groupName: null, groupAvatar: null, whatsapp_conversation_id: null },
  ...{ phone_number_id: null, display_phone_number: null, contacts: [] },
}

/**
 * What the fields of decision 61, section 3, are in an answer while they have no value: decision 66.
 */
export const blanks: ReadonlyMap<unknown, Blank> = new Map<unknown, Blank>([
  [publicUser, ofUser],
  [ownUser, ofUser],
  [whatsAppContact, ofUser],
  [messageParty, ofParty],
  [messageAnswer, ofMessage],
  [conversationAnswer, ofConversation],
])

/** What zod says of a schema's parts. */
interface Parts {
  shape?: Record<string, z.ZodMiniType>
  element?: z.ZodMiniType
  innerType?: z.ZodMiniType
}

const known = new Map<z.ZodMiniType, Complete | undefined>()

/** Gives every entity in an answer all of its fields. @param schema the answer's own */
export function completeEntities(schema: z.ZodMiniType, answer: unknown): unknown {
  return findComplete(schema)?.(answer) ?? answer
}

/** Undefined where nothing within is an entity. */
function findComplete(schema: z.ZodMiniType): Complete | undefined {
  if (!known.has(schema)) known.set(schema, build(schema))
  return known.get(schema)
}

function build(schema: z.ZodMiniType): Complete | undefined {
  const { shape, element, innerType } = schema._zod.def as Parts
  if (innerType) return findComplete(innerType)
  if (element) {
    const complete = findComplete(element)
    return complete && ((value) => (Array.isArray(value) ? value.map(complete) : value))
  }
  const blank = blanks.get(schema)
  const inner = Object.entries(shape ?? {}).flatMap(([name, part]) => {
    const complete = findComplete(part)
    return complete ? [{ name, complete }] : []
  })
  if (!blank && inner.length === 0) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const given: Record<string, unknown> = { ...value }
    const parts = inner.filter(({ name }) => given[name] !== undefined)
    const within = parts.map(({ name, complete }) => [name, complete(given[name])])
    return { ...blank, ...given, ...Object.fromEntries(within) }
  }
}
