import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { must } from '../helpers/assertions.ts'
import { canonicalJson } from '../helpers/json.ts'
import { checkWire, isOutdatedAnswer, oldestWireVersion, wireVersion } from './wire.ts'

/** The hash of everything that both sides say, beside each version of the protocol. */
const versions = [
  // What came from here on was additions, until sealed messages.
  { version: 1, hash: '81e82d4c37b36821' },
  { version: 2, hash: '52264ada03766119' },
]

/** Without the table of registers: how each side merges what was said is its own matter. */
const modules = import.meta.glob<Record<string, unknown>>(
  [
    '../*.ts',
    './*.ts',
    '../{encryption,notifications,whatsapp}/*.ts',
    '!../*.{test,contract}.ts',
    '!../notifications/*.test.ts',
    '!./*.test.ts',
    '!../{message-registers,blank-deleted}.ts',
  ],
  { eager: true },
)

/**
 * What of an export goes over the wire: schemas, closed unions, names of headers and protocols,
 * close codes. It sees neither words nor what a schema checks by a function of its own.
 */
function describeExport(value: unknown): unknown {
  if (value instanceof z.core.$ZodType) {
    return (['input', 'output'] as const).map((io) =>
      z.toJSONSchema(value, { io, unrepresentable: 'any' }),
    )
  }
  if (typeof value === 'string') return isName(value) ? value : undefined
  if (Array.isArray(value)) return value.every(isName) ? value : undefined
  if (typeof value !== 'object' || value === null) return undefined
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, describePart(part)]))
}

/** Of a table: its schemas, its numbers, and the statuses that stand beside words. */
function describePart(part: unknown): unknown {
  if (part instanceof z.core.$ZodType) return describeExport(part)
  if (typeof part === 'number') return part
  const { status } = Object(part) as { status?: unknown }
  return status ?? null
}

const isName = (value: unknown) => typeof value === 'string' && /^[\w.-]+$/.test(value)

/** By the names of exports; limits matter where a schema reads them. */
function describeWire(): Map<string, unknown> {
  const exports = Object.entries(modules)
    .flatMap(([, module]) => Object.entries(module))
    .filter(([name]) => !/limits$/i.test(name))
    .map(([name, value]) => [name, describeExport(value)] as const)
  return new Map(exports.filter(([, described]) => described !== undefined))
}

/** The order of keys and of lists means nothing. */
function writeSorted(value: unknown): string {
  return canonicalJson(
    JSON.parse(JSON.stringify(value), (_key, inner: unknown) => {
      if (!Array.isArray(inner)) return inner
      return inner.toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1))
    }),
  )
}

/** Neither names of exports nor of files are part of it: they never leave this code. */
function hash(values: Iterable<unknown>): string {
  const texts = [...new Set([...values].map(writeSorted))].sort()
  return createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16)
}

test('what goes over the wire is what its version says', () => {
  const latest = must(versions.at(-1), 'a version')
  expect(
    { version: wireVersion, hash: hash(describeWire().values()) },
    [
      'The schemas between app and server differ from those of this version of the protocol.',
      'Only additions that older apps and servers ignore, as an optional field? Put the new hash',
      'beside the same version in wire.test.ts.',
      'Anything else: raise wireVersion in wire.ts and add a line here; raise oldestWireVersion too',
      'once the server cannot read the apps before it (decision 44).',
    ].join('\n'),
  ).toEqual(latest)
})

test('the hash sees documents, bodies, answers, events, refusals and headers', () => {
  const described = describeWire()
  expect([...described.keys()]).toEqual(
    expect.arrayContaining([
      ...['messageDocument', 'conversationDocument', 'ownUser', 'sendMessage', 'signedIn'],
      ...['clientEvents', 'serverEvents', 'pollAnswer', 'refusalCodes', 'errorAnswer'],
      ...['epochHeader', 'wireHeader', 'socketProtocol', 'socketCloseCodes'],
    ]),
  )
  expect(described.get('apiErrors')).toMatchObject({ app_outdated: 426 })
  expect(described.get('limits')).toBeUndefined()
})

test('the hash changes with a field, and not with the order of fields', () => {
  const field = { name: z.string(), age: z.number() }
  const hashOf = (schema: z.ZodMiniType) => hash([describeExport(schema)])
  expect(hashOf(z.object(field))).toBe(hashOf(z.object({ age: field.age, name: field.name })))
  expect(hashOf(z.object({ ...field, email: z.optional(z.string()) }))).not.toBe(
    hashOf(z.object(field)),
  )
})

test('versions are raised one by one, and served from the oldest on', () => {
  expect(versions.map(({ version }) => version)).toEqual(versions.map((_, at) => at + 1))
  expect(oldestWireVersion).toBeGreaterThan(0)
  expect(oldestWireVersion).toBeLessThanOrEqual(wireVersion)
})

test.each([
  [undefined, null],
  ['', null],
  ['PouchDB', null],
  ['-1', null],
  ['1.5', null],
  ['1', 'app_outdated'],
  ['2', null],
  ['3', null],
  ['4', 'server_outdated'],
] as const)('a server of versions 2 to 3 answers an app of version %s with %s', (told, problem) => {
  expect(checkWire(told, { oldest: 2, newest: 3 })).toBe(problem)
})

test.each([
  [426, { code: 'app_outdated', error: 'Update to go on.' }, true],
  [426, { error: 'app_outdated', reason: 'Update to go on.' }, true],
  [426, { error: 'Upgrade Required' }, false],
  [426, '<html>Upgrade your browser', false],
  [426, undefined, false],
  [200, { code: 'app_outdated' }, false],
])('an answer of %i with %j says that the app is too old: %s', (status, body, isOutdated) => {
  expect(isOutdatedAnswer({ status, body })).toBe(isOutdated)
})
