import * as z from 'zod/mini'
import { limits } from '../../../schema/limits.ts'
import type { MessageDocument, MessageType } from '../../../schema/message.ts'
import { validateMessage } from './validate-message.ts'

/** The fields of a message document with a caller's content. */
export type WrittenFields = Pick<
  MessageDocument,
  'type' | 'content' | 'mediaUrl' | 'interactive' | 'location' | 'contacts' | 'template' | 'media'
>

const file = z.looseObject({
  link: z.optional(z.string()),
  caption: z.nullish(z.string()),
  filename: z.nullish(z.string()),
})
const place = z.looseObject({
  latitude: z.coerce.number(),
  longitude: z.coerce.number(),
  name: z.nullish(z.string()),
  address: z.nullish(z.string()),
})
const fileTypes = ['image', 'video', 'audio', 'document'] as const

/**
 * Converts a caller's content in WhatsApp's form into a message of ours; refuses whatever WhatsApp
 * is known to refuse, before storing anything.
 * @param type as in `POST /webhooks/send`
 * @param render a template's text with these values
 */
export async function readWritten(
  type: string,
  given: unknown,
  render: (name: string, language: string, components: unknown) => Promise<string>,
): Promise<WrittenFields | { refusal: string }> {
  const fileType = fileTypes.find((one) => one === type)
  if (fileType) return readFile(fileType, given)
  const checked = validateMessage(type, given)
  if ('refusal' in checked) return checked
  const { message } = checked
  const plain = { type: 'text' as MessageType, content: '' }
  switch (message.type) {
    case 'text':
      return { ...plain, content: message.content.body }
    case 'template': {
      const { name, language, components = [] } = message.content
      const rendered = await render(name, language.code, components)
      const data = { language: language.code, components, rendered }
      return { type: 'template', content: rendered, template: toJson({ name, data }) }
    }
    case 'interactive': {
      const { content } = message
      return { type: 'interactive', content: content.body.text, interactive: toJson(content) }
    }
    case 'location': {
      const { latitude, longitude, name, address } = place.parse(message.content)
      const named = [name, address].filter(Boolean).join(', ')
      const location = { latitude, longitude, ...(name && { name }), ...(address && { address }) }
      return { ...plain, content: named || `${latitude}, ${longitude}`, location }
    }
    case 'contacts': {
      const names = message.content.map(({ name }) => name.formatted_name)
      return { ...plain, content: names.join(', '), contacts: toJson(message.content) }
    }
    default:
      return { refusal: 'WhatsApp messages of this kind cannot be sent.' }
  }
}

function readFile(
  type: (typeof fileTypes)[number],
  given: unknown,
): WrittenFields | { refusal: string } {
  const read = file.safeParse(given)
  const { link, caption, filename } = read.data ?? {}
  const isOwn = link?.startsWith(limits.mediaPathPrefix) ?? false
  // Our own file is sent under an id that WhatsApp assigns later.
  const asSent = isOwn ? { ...read.data, link: undefined, id: 'later' } : given
  const checked = validateMessage(type, dropUndefined(asSent))
  if ('refusal' in checked) return checked
  if (link === undefined) return { refusal: 'A file needs a link.' }
  const named = filename ? { filename } : {}
  return {
    type,
    content: caption ?? '',
    ...(isOwn
      ? { mediaUrl: link, ...(filename && { media: named }) }
      : { media: { link, ...named } }),
  }
}

function dropUndefined(given: unknown): unknown {
  return given === undefined ? undefined : toJson(given)
}

/** A schema's output as a document's JSON. */
function toJson(value: unknown): z.output<ReturnType<typeof z.json>> {
  return JSON.parse(JSON.stringify(value))
}
