import fc from 'fast-check'
import type { Operation } from '../docs-routes.ts'
import {
  hostileParts,
  hostileQueries,
  hostileValues,
  type Known,
  spoiled,
  valuesOf,
} from './hostile.contract.ts'

const tokens = fc.oneof(
  { weight: 6, arbitrary: fc.constant('own') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'x',
      'null',
      'a.b.c',
      '..',
      'x'.repeat(4_000),
      'none',
      'guessed',
    ),
  },
)

const brokenBodies = fc.constantFrom<{ text: string; type: string }>(
  { text: '{"a":', type: 'application/json' },
  { text: '{"a":1}}', type: 'application/json' },
  { text: "{'a':1}", type: 'application/json' },
  { text: 'undefined', type: 'application/json' },
  { text: '', type: 'application/json' },
  { text: '\0\0\0', type: 'application/json' },
  { text: '\xff\xfe{}', type: 'application/json; charset=utf-16' },
  { text: '\x80\x81', type: 'application/json' },
  { text: `${'['.repeat(20_000)}${']'.repeat(20_000)}`, type: 'application/json' },
  { text: `{"a":${'{"a":'.repeat(500)}1${'}'.repeat(500)}}`, type: 'application/json' },
  { text: 'a=1&b[$ne]=2', type: 'application/x-www-form-urlencoded' },
  { text: '<a/>', type: 'text/xml' },
  { text: '{}', type: 'multipart/form-data; boundary=x' },
  { text: '{}', type: 'application/json; charset=x-unknown' },
)

/** Text in UTF-8 with one character for each byte. */
export const asBytes = (text: string) => Buffer.from(text).toString('latin1')

/** One generated request. `token` is `own`, the name of a forged one, or the token itself. */
export interface HostileCase {
  parts: string[]
  query: string
  token: string
  key: string
  body: { text: string; type: string; isBroken: boolean } | undefined
}

/**
 * Requests to one call, from its description: corrupted good ones, malformed ones, and some valid.
 */
export function casesOf(
  path: string,
  operation: Operation,
  known: Known,
): fc.Arbitrary<HostileCase> {
  const places = [...path.matchAll(/\{\w+\}/g)].length
  const part = fc.oneof(fc.constantFrom(...known.ids), hostileParts)
  const schema = operation.requestBody?.content['application/json']?.schema
  const written = schema ? valuesOf(schema, known) : hostileValues
  const toBody = (value: unknown) => ({
    text: asBytes(JSON.stringify(value) ?? 'undefined'),
    type: 'application/json',
    isBroken: false,
  })
  const bodies = fc.oneof(
    { weight: 5, arbitrary: spoiled(written).map(toBody) },
    { weight: 1, arbitrary: written.map(toBody) },
    { weight: 2, arbitrary: brokenBodies.map((body) => ({ ...body, isBroken: true })) },
  )
  return fc.record({
    parts: fc.array(part, { minLength: places, maxLength: places }),
    query: fc.oneof(queriesOf(operation, known), hostileQueries),
    token: tokens,
    key: fc.constantFrom('', 'x', '../', '01890000-0000-7000-8000-00000000000a', '{}'),
    body: schema ? bodies : fc.constant(undefined),
  })
}

function queriesOf({ parameters = [] }: Operation, known: Known): fc.Arbitrary<string> {
  const named = parameters.filter((one) => one.in === 'query')
  const values = named.map((one) => spoiled(valuesOf(one.schema, known)))
  return fc.tuple(...values).map((drawnValues) => {
    const pairs = drawnValues.map((value, index) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
      return `${named[index]?.name}=${encodeURIComponent(text.toWellFormed()).slice(0, 6_000)}`
    })
    return pairs.length > 0 ? `?${pairs.join('&')}` : ''
  })
}
