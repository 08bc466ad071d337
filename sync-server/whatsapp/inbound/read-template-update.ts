import * as z from 'zod/mini'
import type { IgnoredItem, TemplateItem } from './webhook-items.ts'

const update = z.looseObject({
  event: z.string(),
  message_template_name: z.string(),
  message_template_language: z.string(),
  reason: z.catch(z.nullish(z.string()), null),
})

/** What became of a template. The language is written with a hyphen here, and with an underscore elsewhere. */
export function readTemplateUpdate(value: unknown): TemplateItem | IgnoredItem {
  const read = update.safeParse(value)
  if (!read.success) {
    return { kind: 'ignored', field: 'message_template_status_update', why: 'unreadable value' }
  }
  const { event, message_template_name: name, message_template_language, reason } = read.data
  const language = message_template_language.replace('-', '_')
  return { kind: 'template', name, language, event, reason: reason ?? null }
}
