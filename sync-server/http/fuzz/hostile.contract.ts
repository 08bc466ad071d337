import fc from 'fast-check'
import type { JsonSchema } from '../schema-describer.ts'

/** What the generator knows: ids of people and messages, and the named schemas. */
export interface Known {
  ids: readonly string[]
  components: Record<string, JsonSchema>
}

const uuidPattern = '[0-9a-f]{12}$'

/** Values that a schema takes. */
export function valuesOf(schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  const { $ref, anyOf, enum: values, properties, items } = schema
  if ($ref) return valuesOf(known.components[$ref.split('/').at(-1) ?? ''] ?? {}, known)
  if ('const' in schema) return fc.constant(schema.const)
  if (values) return fc.constantFrom(...values)
  if (anyOf) return fc.oneof(...anyOf.map((one) => valuesOf(one, known)))
  if (properties) return objectsOf(properties, schema.required ?? [], known)
  if (items) {
    const { minItems: minLength = 0, maxItems = 3 } = schema
    return fc.array(valuesOf(items, known), { minLength, maxLength: Math.min(maxItems, 3) })
  }
  return fc.oneof(
    ...[schema.type ?? 'any'].flat().map((type) => plainValuesOf(type, schema, known)),
  )
}

function objectsOf(
  properties: Record<string, JsonSchema>,
  requiredKeys: string[],
  known: Known,
): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(
    ([name, property]) => [name, valuesOf(property, known)] as const,
  )
  return fc.record(Object.fromEntries(fields), { requiredKeys })
}

function plainValuesOf(type: string, schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  const { pattern = '', minLength = 0, maxLength = 60 } = schema
  if (type === 'string') {
    if (pattern.endsWith(uuidPattern)) return fc.oneof(fc.constantFrom(...known.ids), fc.uuid())
    if (pattern) return fc.stringMatching(new RegExp(pattern))
    const text = fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) })
    return fc.oneof(text, fc.constantFrom(...known.ids))
  }
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'integer') return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 9 })
  if (type === 'number') return fc.double({ noNaN: true })
  return fc.jsonValue()
}

/** Values that no well-meaning client sends. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER, '', ' ', '\0', '\ud800', '\u202e'],
    ...[[], {}, [[]], [null], [[[[[[[[]]]]]]]], 'x'.repeat(70_000), Array(2_000).fill('x')],
    ...[{ $ne: null }, { $gt: '' }, { $regex: '.*' }, { $where: 'while(true){}' }, ['$ne']],
    ...[
      '../../etc/passwd',
      '..\\..\\',
      '__proto__',
      'constructor',
      'user:x',
      '_design/x',
      '_local/x',
    ],
    ...[
      '<script>alert(1)</script>',
      "' OR 1=1 --",
      '{{7*7}}',
      'javascript:alert(1)',
      'file:///etc',
    ],
    ...[{ constructor: { prototype: { isAdmin: true } } }, { toString: 1 }, { length: 1e9 }],
    ...[{ toJSON: 'x' }, { _id: { $oid: 'x' } }, { hasOwnProperty: 1 }],
    JSON.parse('{"__proto__": {"isAdmin": true, "userId": "x"}}'),
    JSON.parse('[{"__proto__": []}]'),
    JSON.parse('{"then": "x"}'),
  ),
  fc.jsonValue({ maxDepth: 3 }),
)

/** A value with one part replaced, added or removed. */
export function spoiled(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const names = fc.constantFrom('__proto__', 'constructor', '_id', '_rev', 'userId', 'senderId', '')
  return fc
    .tuple(values, fc.nat(50), hostileValues, fc.constantFrom('replace', 'add', 'remove'), names)
    .map(([value, at, hostile, how, name]) => {
      const places = listPlaces(value)
      const place = places[at % places.length]
      return place ? spoilAt(value, place, { how, name, hostile }) : hostile
    })
}

type Place = (string | number)[]

/** Every place inside a value, the value itself first. */
function listPlaces(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [[]]
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  const inner = keys.flatMap((key) =>
    listPlaces((value as Record<string | number, unknown>)[key]).map((place) => [key, ...place]),
  )
  return [[], ...inner]
}

interface Spoiling {
  how: string
  name: string
  hostile: unknown
}

function spoilAt(value: unknown, [key, ...rest]: Place, spoiling: Spoiling): unknown {
  const { how, name, hostile } = spoiling
  const isObject = typeof value === 'object' && value !== null
  if (key === undefined)
    return how === 'add' && isObject ? withField(value, name, hostile) : hostile
  const inner = (value as Record<string | number, unknown>)[key]
  if (Array.isArray(value)) return value.with(Number(key), spoilAt(inner, rest, spoiling))
  const entries = Object.entries(value as object)
  if (how === 'remove' && rest.length === 0) {
    return Object.fromEntries(entries.filter(([other]) => other !== key))
  }
  return withField(value as object, String(key), spoilAt(inner, rest, spoiling))
}

/** Also `__proto__` becomes a field, as it does when such a text is parsed. */
function withField(value: object, name: string, field: unknown): object {
  const copy = { ...value }
  Object.defineProperty(copy, name, {
    value: field,
    enumerable: true,
    configurable: true,
    writable: true,
  })
  return copy
}

/** Path parts that are no ids, encoded or never to be encoded. */
export const hostileParts = fc.constantFrom(
  ...[
    '..',
    '%2e%2e',
    '..%2f..%2f..%2fetc%2fpasswd',
    '%2fetc',
    '%00',
    'a%00b',
    '%',
    '%E0%A4%A',
    '%ff',
  ],
  ...[
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'undefined',
    'null',
    'NaN',
    '-1',
    '0',
    '*',
    '$ne',
  ],
  ...['[object%20Object]', '{"$gt":""}'.replaceAll('"', '%22').replaceAll('{', '%7B'), 'user:x'],
  ...[
    '_all_docs',
    '_design',
    '%F0%9F%92%A3',
    'a'.repeat(4_000),
    '%252e%252e',
    ';',
    '~',
    '%3Cscript%3E',
  ],
  ...[
    '01890000-0000-7000-8000-000000000000',
    '01890000-0000-7000-8000-00000000000',
    '%0d%0aX-Y:%20z',
  ],
)

export const hostileQueries = fc.constantFrom(
  ...[
    '',
    '?',
    '?query',
    '?query=',
    '?query=a&query=b',
    '?query[$ne]=x',
    '?query[]=x',
    '?limit=1e3',
  ],
  ...['?limit=-1', '?limit=99999999999999999999', '?limit=NaN', '?limit=', '?before=', '?before=x'],
  ...['?__proto__[x]=1', '?constructor=1', '?query=%00', '?query=%', '?query=%E0%A4%A', '?&&&==='],
  ...[`?query=${'a'.repeat(5_000)}`, '?query=a&userId[$gt]=', '?query=a&userId=..%2f', '?a.b.c=1'],
)
