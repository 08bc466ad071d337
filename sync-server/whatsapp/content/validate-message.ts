import * as z from 'zod/mini'
import { messageContents, type OutgoingMessage, type OutgoingType } from './outgoing-message.ts'

const anyObject = z.record(z.string(), z.unknown())

const shortButton = z.strictObject({ id: z.optional(z.string()), title: z.string() })

const longButton = z.looseObject({
  type: z.literal('reply'),
  reply: z.looseObject({ id: z.optional(z.string()) }),
})

const withButtons = z.looseObject({
  action: z.looseObject({ buttons: z.array(z.unknown()) }),
})

const definitionPart = z.looseObject({
  type: z.string(),
  parameters: z.optional(z.array(z.unknown())),
})

/**
 * Checks a message against all known refusals of WhatsApp, before any request.
 * @param type as in `POST /webhooks/send`
 * @param given a text for `text`, else the object of that type; buttons may be written as `{id?,
 * title}`
 * @returns the message to send, or a sentence for its author
 */
export function validateMessage(
  type: string,
  given: unknown,
): { message: OutgoingMessage } | { refusal: string } {
  if (!isKnownType(type)) return { refusal: 'WhatsApp messages of this kind cannot be sent.' }
  const read = messageContents[type].safeParse(normaliseContent(type, given))
  if (!read.success) {
    const [issue] = read.error.issues
    return { refusal: `${issue?.message ?? 'The message is not complete'}.` }
  }
  return { message: { type, content: read.data } as OutgoingMessage }
}

function isKnownType(type: string): type is OutgoingType {
  return Object.hasOwn(messageContents, type)
}

/** Normalises the accepted spellings of a message to WhatsApp's. Leaves anything else unchanged. */
function normaliseContent(type: OutgoingType, given: unknown): unknown {
  if (type === 'text' && typeof given === 'string') return { body: given }
  const cleaned = dropNulls(given)
  if (type === 'interactive') return wrapButtons(cleaned)
  if (type === 'template') return completeTemplate(cleaned)
  return cleaned
}

/** WhatsApp refuses null everywhere: omit unset fields. */
function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => one !== null).map(dropNulls)
  const read = anyObject.safeParse(value)
  if (!read.success) return value
  const kept = Object.entries(read.data).filter(([, inner]) => inner !== null)
  return Object.fromEntries(kept.map(([name, inner]) => [name, dropNulls(inner)]))
}

/** `{id?, title}` is short for a whole reply button. In either form its id is `btn_<index>` by default. */
function wrapButtons(given: unknown): unknown {
  const read = withButtons.safeParse(given)
  if (!read.success) return given
  const { action } = read.data
  const buttons = action.buttons.map((button, index) => {
    const whole = longButton.safeParse(button)
    const id = `btn_${index}`
    if (whole.success) return { ...whole.data, reply: { id, ...whole.data.reply } }
    const short = shortButton.safeParse(button)
    return short.success ? { type: 'reply', reply: { id, ...short.data } } : button
  })
  return { ...read.data, action: { ...action, buttons } }
}

/** Defaults to English; drops a definition's parts without values, and lower-cases their types. */
function completeTemplate(given: unknown): unknown {
  const read = anyObject.safeParse(given)
  if (!read.success) return given
  const { language = { code: 'en' }, components, ...rest } = read.data
  const code = typeof language === 'string' ? { code: language } : language
  const parts = z.array(definitionPart).safeParse(components)
  if (!parts.success)
    return { ...rest, language: code, ...(components !== undefined && { components }) }
  const filled = parts.data
    .filter(({ parameters }) => parameters !== undefined && parameters.length > 0)
    .map((part) => ({ ...part, type: part.type.toLowerCase() }))
  return { ...rest, language: code, ...(filled.length > 0 && { components: filled }) }
}
