import type { EmulatorState } from '../state/emulator-state.ts'
import type { StoredTemplate } from '../state/seed-templates.ts'
import { GraphFault } from '../wire/graph-fault.ts'
import type { TemplateSend } from '../wire/message-shapes.ts'

type Components = NonNullable<TemplateSend['components']>
type Parameter = NonNullable<Components[number]['parameters']>[number]

/**
 * Does the template exist, can it be sent, and do the parameters fit?
 * @throws GraphFault 132001, 132015, 132000, 132012
 */
export function checkTemplate(state: EmulatorState, send: TemplateSend): StoredTemplate {
  const { name, language } = send
  const template = state.templates.find(
    (one) => one.name === name && one.language === language.code,
  )
  if (!template || !['APPROVED', 'PAUSED'].includes(template.status)) {
    throw new GraphFault(132001, {
      details: `template name (${name}) does not exist in ${language.code}`,
    })
  }
  if (template.status === 'PAUSED') throw new GraphFault(132015)
  for (const part of ['header', 'body'] as const) {
    const parameters = (send.components ?? [])
      .filter(({ type }) => type === part)
      .flatMap((component) => component.parameters ?? [])
    checkPart(template, part, parameters)
  }
  return template
}

function checkPart(template: StoredTemplate, part: 'header' | 'body', given: Parameter[]) {
  const component = template.components.find(({ type }) => type === part.toUpperCase())
  const format = component?.format ?? 'TEXT'
  const expected = format === 'TEXT' ? listPlaceholders(component?.text ?? '') : [format]
  if (expected.length !== given.length) {
    throw new GraphFault(132000, {
      details: `${part}: number of localizable_params (${given.length}) does not match the expected number of params (${expected.length})`,
    })
  }
  if (format !== 'TEXT') {
    if (given.every(({ type }) => type === format.toLowerCase())) return
    throw new GraphFault(132012, {
      details: `${part}: Format mismatch, expected ${format}, received ${given[0]?.type.toUpperCase()}`,
    })
  }
  for (const parameter of given) refuseUntextual(part, parameter)
  if (template.parameter_format === 'POSITIONAL') return
  const names = given.map((one) => ('parameter_name' in one ? one.parameter_name : undefined))
  const missing = expected.find((name) => !names.includes(name))
  if (missing === undefined) return
  throw new GraphFault(132012, { details: `${part}: Parameter name ${missing} is missing` })
}

function refuseUntextual(part: string, parameter: Parameter) {
  if (!['text', 'currency', 'date_time'].includes(parameter.type)) {
    throw new GraphFault(132012, {
      details: `${part}: Format mismatch, expected TEXT, received ${parameter.type.toUpperCase()}`,
    })
  }
  if (parameter.type === 'text' && /[\n\t]| {5}/.test(parameter.text)) {
    throw new GraphFault(132012, {
      details: `${part}: Param text cannot have new-line/tab characters or more than 4 consecutive spaces`,
    })
  }
}

/** The names in double braces, each once, in order. */
export function listPlaceholders(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? ''))]
}
