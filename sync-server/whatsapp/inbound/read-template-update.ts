import * as z from 'zod/mini'
import type { IgnoredItem, TemplateItem } from './webhook-items.ts'

const update = z.looseObject({
  event: z.string(),
  message_template_name: z.string(),
  message_template_language: z.string(),
  reason: z.catch(z.nullish(z.string()), null),
})

/** A template's new status. The language is hyphenated here, and underscored elsewhere. */
export function readTemplateUpdate(value: unknown): TemplateItem | IgnoredItem {
  const read = update.safeParse(value)
  if (!read.success) {
    return { kind: 'ignored', field: 'message_template_status_update', why: 'unreadable value' }
  }
  const { event, message_template_name: name, message_template_language, reason } = read.data
  const language = message_template_language.replace('-', '_')
  return { kind: 'template', name, language, event, reason: reason ?? null }
}
