import fc from 'fast-check'
import { expect, test } from 'vitest'
import { draftWrites } from './draft-writes.ts'

const fieldsOf = <Value>(value: fc.Arbitrary<Value>) =>
  fc.dictionary(fc.oneof(fc.constant('__proto__'), fc.string()), value, { noNullPrototype: true })
const anyText = fc.oneof(fc.string(), fc.constant(undefined))
const anyField = fc.oneof(
  fc.constant(undefined),
  fc.jsonValue(),
  fieldsOf(anyText),
  fc.array(fieldsOf(fieldsOf(anyText))),
)

/** As a database gives it back, which keeps no `-0` either. */
const asStored = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

test('what is written is what the database will give back, and the same again is no write', () => {
  fc.assert(
    fc.property(fieldsOf(anyField), (fields) => {
      const body = { ...fields, _id: 'note', _rev: '1-a' }
      const given = structuredClone(body)
      const { _rev, ...stored } = asStored(body)
      const first = draftWrites(new Map())
      first.add({ put: [body] })
      expect(asStored(first.writes.get('note')?.body)).toEqual(stored)
      expect(countUndefined(first.writes.get('note')?.body)).toBe(0)
      // The caller may still read what it gave.
      expect(body).toStrictEqual(given)

      const second = draftWrites(new Map([['note', { ...stored, _id: 'note', _rev: '2-b' }]]))
      second.add({ put: [asStored(body)] })
      const same = { ...stored, _id: 'note', more: undefined, _rev: '1-a' }
      second.add({ put: [same] })
      expect(second.writes.size).toBe(0)
    }),
  )
})

function countUndefined(value: unknown): number {
  if (value === undefined) return 1
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, field) => sum + countUndefined(field), 0)
}
