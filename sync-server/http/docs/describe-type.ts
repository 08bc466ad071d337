import { escapeHtml } from './escape-html.ts'
import type { JsonSchema } from './json-schema.ts'

/** A schema as a TypeScript-like type in HTML; named schemas become links. */
export function describeType(schema: JsonSchema, depth = 0): string {
  const { $ref, anyOf, enum: values, properties, items } = schema
  if ($ref !== undefined) {
    const name = escapeHtml($ref.split('/').at(-1) ?? '')
    return `<a href="#type-${name}">${name}</a>`
  }
  if ('const' in schema) return escapeHtml(JSON.stringify(schema.const))
  if (values) return values.map((value) => escapeHtml(JSON.stringify(value))).join(' | ')
  if (anyOf) return anyOf.map((one) => describeType(one, depth)).join(' | ')
  if (items) return `${describeType(items, depth)}[]`
  if (properties && Object.keys(properties).length > 0) return describeFields(schema, depth)
  if (typeof schema.additionalProperties === 'object') return '{ [name]: any JSON }'
  const type = [schema.type ?? 'any JSON'].flat().join(' | ')
  return `${escapeHtml(type)}${describeLimits(schema)}`
}

function describeFields({ properties = {}, required = [] }: JsonSchema, depth: number): string {
  const indent = '  '.repeat(depth + 1)
  const lines = Object.entries(properties).map(([name, property]) => {
    const mark = required.includes(name) && property.default === undefined ? '' : '?'
    return `${indent}${escapeHtml(name)}${mark}: ${describeType(property, depth + 1)}`
  })
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`
}

function describeLimits(schema: JsonSchema): string {
  const { format, minLength, maxLength, minimum, maximum, pattern } = schema
  const told = [
    format,
    minLength !== undefined && `${minLength} or more`,
    maxLength !== undefined && `at most ${maxLength}`,
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && `to ${maximum}`,
    pattern,
  ].filter((one) => typeof one === 'string')
  return told.length > 0 ? ` <small>${escapeHtml(told.join(', '))}</small>` : ''
}
