import * as z from 'zod/mini'
import { type WhatsAppTemplate, whatsAppTemplate } from '../../../schema/api/whatsapp-template.ts'
import { builtInTemplates } from './built-in-templates.ts'

const list = z.array(whatsAppTemplate)
const keyOf = (userId: string) => `petrel-templates-${userId}`

/** The account's templates stored on this device; until there are any, the built-in two. */
export function readKeptTemplates(
  texts: Pick<Storage, 'getItem'>,
  userId: string,
): readonly WhatsAppTemplate[] {
  try {
    const kept = list.safeParse(JSON.parse(texts.getItem(keyOf(userId)) ?? 'null'))
    return kept.success ? kept.data : builtInTemplates
  } catch {
    return builtInTemplates
  }
}

/** Stores them for offline use; without room the app requests them again. */
export function keepTemplates(
  texts: Pick<Storage, 'setItem'>,
  userId: string,
  templates: readonly WhatsAppTemplate[],
): void {
  try {
    texts.setItem(keyOf(userId), JSON.stringify(templates))
  } catch {
    // A full disk loses nothing: the list is in memory until the page closes.
  }
}
