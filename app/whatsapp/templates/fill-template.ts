import type { WhatsAppTemplate as Template } from '../../../schema/api/whatsapp-template.ts'

/** A person's values for the placeholders, by the keys from `listPlaceholders`. */
export type Values = Readonly<Record<string, string>>

export interface Placeholder {
  /** Unique across header and body, which may both have a `{{1}}`. */
  key: string
  /** The name between the braces. */
  name: string
}

/** A template's texts with the values so far filled in. */
export interface Words {
  header: string | undefined
  body: string
  footer: string | undefined
}

const pattern = /\{\{\s*(\w+)\s*\}\}/g
const valued = ['HEADER', 'BODY'] as const

function findText(template: Template, wanted: string): string | undefined {
  const found = template.components.find(
    ({ type, format = 'TEXT' }) => type === wanted && format === 'TEXT',
  )
  return found?.text
}

const keyOf = (type: string, name: string) => `${type.toLowerCase()} ${name}`

/** The placeholders to fill in, in reading order; repeated ones count once. */
export function listPlaceholders(template: Template): Placeholder[] {
  return valued.flatMap((type) =>
    listNames(template, type).map((name) => toPlaceholder(type, name)),
  )
}

function listNames(template: Template, type: string): string[] {
  const names = [...(findText(template, type) ?? '').matchAll(pattern)].map(([, name = '']) => name)
  const unique = [...new Set(names)]
  // WhatsApp orders positional ones by number, whatever their order in the text.
  return isNamed(template) ? unique : unique.sort((a, b) => Number(a) - Number(b))
}

function toPlaceholder(type: string, name: string): Placeholder {
  return { key: keyOf(type, name), name }
}

function isNamed({ parameter_format }: Template): boolean {
  return parameter_format === 'NAMED'
}

/** A template's texts; a placeholder without a value stays as it is. */
export function fillTemplate(template: Template, values: Values): Words {
  const fill = (type: string) =>
    findText(template, type)?.replace(
      pattern,
      (whole, name: string) => oneLine(values[keyOf(type, name)] ?? '') || whole,
    )
  return { header: fill('HEADER'), body: fill('BODY') ?? '', footer: fill('FOOTER') }
}

/** WhatsApp accepts only one-line values without tabs or runs of blanks. */
function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

/** Does each placeholder have a value? */
export function isFilled(template: Template, values: Values): boolean {
  return listPlaceholders(template).every(({ key }) => oneLine(values[key] ?? '') !== '')
}

/** Can a form fill this template? It cannot provide a file or a part of a link. */
export function canBeFilled({ components }: Template): boolean {
  return components.every(({ type, format = 'TEXT', buttons }) => {
    if (type === 'HEADER') return format === 'TEXT'
    return type !== 'BUTTONS' || !JSON.stringify(buttons ?? []).includes('{{')
  })
}

/** The message's template field: the values sent, and the resulting text. */
export function toTemplateField(template: Template, values: Values) {
  const { header, body, footer } = fillTemplate(template, values)
  const components = valued.flatMap((type) => {
    const names = listNames(template, type)
    if (names.length === 0) return []
    const parameters = names.map((name) => ({
      type: 'text',
      text: oneLine(values[keyOf(type, name)] ?? ''),
      ...(isNamed(template) && { parameter_name: name }),
    }))
    return { type: type.toLowerCase(), parameters }
  })
  const frame = { ...(header && { header }), ...(footer && { footer }) }
  const data = { language: template.language, components, rendered: body, ...frame }
  return { name: template.name, data }
}

/**
 * The values that put these words into the template; undefined if it has no placeholder for only
 * them.
 */
export function placeWords(template: Template, words: string): Values | undefined {
  const [only, ...others] = listPlaceholders(template)
  if (!only?.key.startsWith('body ') || others.length > 0) return undefined
  return { [only.key]: oneLine(words) }
}
