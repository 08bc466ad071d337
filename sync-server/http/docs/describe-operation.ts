import type * as z from 'zod/mini'
import { describeError, errorAnswer } from '../../../schema/api/api-error.ts'
import { listErrors } from '../core/list-errors.ts'
import type { Route } from '../core/route.ts'
import type { Answer, Operation, Parameter } from './api-description.ts'
import { nameOperation, nameTag } from './name-operation.ts'
import type { SchemaDescriber } from './schema-describer.ts'

/** Describes one call: its inputs, its answers, and every refusal that it names. */
export function describeOperation(route: Route, describer: SchemaDescriber): Operation {
  const { params, query, headers, body, filePart, consumes } = route
  const parameters = [
    ...describeParameters(params, 'path', describer),
    ...describeParameters(query, 'query', describer),
    ...describeParameters(headers, 'header', describer),
  ]
  return {
    operationId: nameOperation(route),
    summary: route.summary,
    tags: [nameTag(route)],
    security: route.access === 'signed-in' ? [{ bearer: [] }] : [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: jsonBody(body, describer) } : {}),
    ...(filePart ? { requestBody: fileBody(filePart) } : {}),
    ...(consumes ? { requestBody: bytesBody(consumes) } : {}),
    responses: { ...describeAnswers(route, describer), ...describeRefusals(route, describer) },
  }
}

function jsonBody(body: z.ZodMiniType, describer: SchemaDescriber) {
  const schema = describer.describe(body, 'input')
  return { required: true as const, content: { 'application/json': { schema } } }
}

function fileBody(part: string) {
  const schema = {
    type: 'object',
    properties: { [part]: { type: 'string', format: 'binary' } },
    required: [part],
  }
  return { required: true as const, content: { 'multipart/form-data': { schema } } }
}

function bytesBody(type: string) {
  const schema = { type: 'string', format: 'binary' }
  return { required: true as const, content: { [type]: { schema } } }
}

function describeParameters(
  schema: z.ZodMiniType | undefined,
  place: Parameter['in'],
  describer: SchemaDescriber,
): Parameter[] {
  if (!schema) return []
  const { properties = {}, required = [] } = describer.describe(schema, 'input')
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
  }))
}

function describeAnswers(route: Route, describer: SchemaDescriber): Record<string, Answer> {
  const type = route.produces ?? 'application/json'
  const schema = route.produces ? {} : describer.describe(route.answer, 'output')
  const content = { [type]: { schema } }
  const others = Object.entries(route.otherStatuses ?? {})
  return {
    [route.status]: { description: route.status === 201 ? 'Created.' : 'Done.', content },
    ...Object.fromEntries(
      others.map(([status, description]) => [status, { description, content }]),
    ),
  }
}

function describeRefusals(route: Route, describer: SchemaDescriber): Record<string, Answer> {
  const schema = describer.describe(errorAnswer, 'output')
  const byStatus = new Map<number, string[]>()
  for (const code of new Set(listErrors(route))) {
    const { status, error } = describeError(code)
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${error}`])
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, words]) => [
        status,
        { description: words.join('\n'), content: { 'application/json': { schema } } },
      ]),
  )
}
