import type { WhatsAppTemplate as Template } from '../../../schema/api/whatsapp-template.ts'

/** What a person gives for the placeholders, by their keys as `listPlaceholders` gives them. */
export type Values = Readonly<Record<string, string>>

export interface Placeholder {
  /** Unlike in the header and the body, where both have a `{{1}}`. */
  key: string
  /** What stands between the braces. */
  name: string
}

/** A template as it reads: its words, with what is known of its values in them. */
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

/** What has to be filled in, in the order in which it reads; one that comes twice is one. */
export function listPlaceholders(template: Template): Placeholder[] {
  return valued.flatMap((type) =>
    listNames(template, type).map((name) => toPlaceholder(type, name)),
  )
}

function listNames(template: Template, type: string): string[] {
  const names = [...(findText(template, type) ?? '').matchAll(pattern)].map(([, name = '']) => name)
  const unique = [...new Set(names)]
  // WhatsApp counts positional ones, whatever their order in the text.
  return isNamed(template) ? unique : unique.sort((a, b) => Number(a) - Number(b))
}

function toPlaceholder(type: string, name: string): Placeholder {
  return { key: keyOf(type, name), name }
}

function isNamed({ parameter_format }: Template): boolean {
  return parameter_format === 'NAMED'
}

/** The words of a template; a placeholder without a value stays as it is. */
export function fillTemplate(template: Template, values: Values): Words {
  const fill = (type: string) =>
    findText(template, type)?.replace(
      pattern,
      (whole, name: string) => oneLine(values[keyOf(type, name)] ?? '') || whole,
    )
  return { header: fill('HEADER'), body: fill('BODY') ?? '', footer: fill('FOOTER') }
}

/** WhatsApp takes values of one line, without tabs or many blanks in a row. */
function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

/** Is there a word for each placeholder? */
export function isFilled(template: Template, values: Values): boolean {
  return listPlaceholders(template).every(({ key }) => oneLine(values[key] ?? '') !== '')
}

/** Can the values that it needs be written in a form? A file, or a part of a link, cannot. */
export function canBeFilled({ components }: Template): boolean {
  return components.every(({ type, format = 'TEXT', buttons }) => {
    if (type === 'HEADER') return format === 'TEXT'
    return type !== 'BUTTONS' || !JSON.stringify(buttons ?? []).includes('{{')
  })
}

/** The part that a message carries: what is sent, and how it reads. */
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

/** The values with which these words stand in the template; undefined where it has no place for just them. */
export function placeWords(template: Template, words: string): Values | undefined {
  const [only, ...others] = listPlaceholders(template)
  if (!only?.key.startsWith('body ') || others.length > 0) return undefined
  return { [only.key]: oneLine(words) }
}
