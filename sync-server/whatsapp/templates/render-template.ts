import * as z from 'zod/mini'
import type { Template } from './template-list.ts'

const values = z.catch(
  z.array(
    z.looseObject({
      type: z.string(),
      parameters: z.catch(z.array(z.looseObject({})), []),
    }),
  ),
  [],
)

/**
 * A template's text for its recipient: its body with the values inserted.
 * @param components the values, as sent
 */
export function renderTemplate(template: Template | undefined, components: unknown): string {
  const body = template?.components.find(({ type }) => type.toUpperCase() === 'BODY')?.text
  if (!template || body === undefined) return ''
  const given = values.parse(components).find(({ type }) => type.toLowerCase() === 'body')
  const parameters = given?.parameters ?? []
  return body.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (hole, name: string) => {
    const named = parameters.find((one) => one.parameter_name === name)
    return sayValue(named ?? parameters[Number(name) - 1]) ?? hole
  })
}

function sayValue(parameter: Record<string, unknown> | undefined): string | undefined {
  if (!parameter) return undefined
  if (typeof parameter.text === 'string') return parameter.text
  const inner = parameter[String(parameter.type)]
  const fallback = (inner as { fallback_value?: unknown } | undefined)?.fallback_value
  return typeof fallback === 'string' ? fallback : undefined
}
