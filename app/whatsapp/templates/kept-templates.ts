import * as z from 'zod/mini'
import { type WhatsAppTemplate, whatsAppTemplate } from '../../../schema/api/whatsapp-template.ts'
import { builtInTemplates } from './built-in-templates.ts'

const list = z.array(whatsAppTemplate)
const keyOf = (userId: string) => `petrel-templates-${userId}`

/** The account's templates as this device knows them; before it was told of any, the built-in two. */
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

/** Keeps them for the next time without a network; where there is no room they are asked for again. */
export function keepTemplates(
  texts: Pick<Storage, 'setItem'>,
  userId: string,
  templates: readonly WhatsAppTemplate[],
): void {
  try {
    texts.setItem(keyOf(userId), JSON.stringify(templates))
  } catch {
    // A full disk takes nothing away: the list is here until the page leaves.
  }
}
