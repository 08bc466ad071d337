import fc from 'fast-check'
import { expect, test } from 'vitest'
import { areValuesEqual } from './equality.ts'
import { canonicalJson } from './json.ts'

test('two values are equal when their JSON with sorted keys is', () => {
  const value = fc.jsonValue({ maxDepth: 3 })
  const near = value.chain((one) =>
    fc.tuple(fc.constant(one), fc.oneof(value, fc.constant(JSON.parse(JSON.stringify(one))))),
  )
  fc.assert(
    fc.property(near, ([a, b]) => {
      expect(areValuesEqual(a, b)).toBe(canonicalJson(a) === canonicalJson(b))
    }),
  )
})

test('the order of keys says nothing, that of a list does', () => {
  expect(areValuesEqual({ at: 1, by: { a: 1, b: 2 } }, { by: { b: 2, a: 1 }, at: 1 })).toBe(true)
  expect(areValuesEqual([1, 2], [2, 1])).toBe(false)
  expect(areValuesEqual([1, 2], [1, 2, 3])).toBe(false)
})

test('a missing field equals an undefined one, on either side, and null is neither', () => {
  expect(areValuesEqual({ at: 1 }, { at: 1, editedAt: undefined })).toBe(true)
  expect(areValuesEqual({ at: 1, editedAt: undefined }, { at: 1 })).toBe(true)
  expect(areValuesEqual({ at: 1 }, { at: 1, editedAt: 2 })).toBe(false)
  expect(areValuesEqual({ at: 1, editedAt: null }, { at: 1 })).toBe(false)
  expect(areValuesEqual([], {})).toBe(false)
  expect(areValuesEqual({}, { constructor: 1 })).toBe(false)
  expect(areValuesEqual(JSON.parse('{"__proto__":{}}'), {})).toBe(false)
})
