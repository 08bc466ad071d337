import * as z from 'zod/mini'
import type { OutgoingType } from './outgoing-message.ts'

const anyObject = z.record(z.string(), z.unknown())
const shortButton = z.strictObject({ id: z.optional(z.string()), title: z.string() })
const withButtons = z.looseObject({
  action: z.looseObject({ buttons: z.array(z.unknown()) }),
})
const definitionPart = z.looseObject({
  type: z.string(),
  parameters: z.optional(z.array(z.unknown())),
})

/** Normalises the accepted spellings of a message to WhatsApp's. Leaves anything else unchanged. */
export function normaliseContent(type: OutgoingType, given: unknown): unknown {
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

/** `{id?, title}` is short for a whole reply button. */
function wrapButtons(given: unknown): unknown {
  const read = withButtons.safeParse(given)
  if (!read.success) return given
  const { action } = read.data
  const buttons = action.buttons.map((button, index) => {
    const short = shortButton.safeParse(button)
    if (!short.success) return button
    const { id = `btn_${index}`, title } = short.data
    return { type: 'reply', reply: { id, title } }
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
