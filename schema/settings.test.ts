import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  clampSettings,
  findNewerSettings,
  mergeSettings,
  pickSettings,
  readSettings,
  type TimedSettings,
} from './settings.ts'

/** Names of the table, names of other versions, and names that an object has by itself. */
const names = [...Object.keys(readSettings({})), 'ofAnotherVersion', 'constructor', 'toString']

/** Few times, so that many are equal; a value may lack its time, as in accounts of before. */
const registers = fc.record({
  value: fc.oneof(
    fc.constantFrom(...Object.values(readSettings({})), null),
    fc.jsonValue({ maxDepth: 2 }),
  ),
  at: fc.nat(3),
})
const versions = fc
  .dictionary(fc.constantFrom(...names), registers, { noNullPrototype: true })
  .map((given): TimedSettings => {
    const entries = Object.entries(given)
    return {
      settings: Object.fromEntries(
        entries.map(([name, { value }]) => [name, JSON.parse(JSON.stringify(value))]),
      ),
      settingsAt: Object.fromEntries(
        entries.filter(([, { at }]) => at > 0).map(([name, { at }]) => [name, at]),
      ),
    }
  })

describe('P5: merging settings has no order', () => {
  test('commutative', () => {
    fc.assert(
      fc.property(versions, versions, (a, b) => {
        expect(mergeSettings(a, b)).toEqual(mergeSettings(b, a))
      }),
    )
  })

  test('associative', () => {
    fc.assert(
      fc.property(versions, versions, versions, (a, b, c) => {
        expect(mergeSettings(mergeSettings(a, b), c)).toEqual(mergeSettings(a, mergeSettings(b, c)))
      }),
    )
  })

  test('idempotent', () => {
    fc.assert(
      fc.property(versions, versions, (a, b) => {
        const merged = mergeSettings(a, b)
        expect(mergeSettings(merged, a)).toEqual(merged)
        expect(mergeSettings(merged, merged)).toEqual(merged)
      }),
    )
  })

  test('what one has and the other lacks is exactly what a merge takes over', () => {
    fc.assert(
      fc.property(versions, versions, (a, b) => {
        const newer = findNewerSettings(a, b)
        expect(mergeSettings(b, newer)).toEqual(mergeSettings(a, b))
        expect(findNewerSettings(a, mergeSettings(a, b)).settings).toEqual({})
        expect(pickSettings(a, Object.keys(newer.settings))).toEqual(newer)
      }),
    )
  })
})

test('each setting is merged by itself, and those of another version stay', () => {
  const phone = {
    settings: { aboutFor: 'chats', ofAnotherVersion: [1] },
    settingsAt: { aboutFor: 5 },
  }
  const laptop = {
    settings: { aboutFor: 'everybody', readReceipts: false },
    settingsAt: { aboutFor: 4, readReceipts: 9 },
  }
  expect(mergeSettings(phone, laptop)).toEqual({
    settings: { aboutFor: 'chats', ofAnotherVersion: [1], readReceipts: false },
    settingsAt: { aboutFor: 5, readReceipts: 9 },
  })
})

test('a value without a time is set when it arrives, and none in the future', () => {
  const settings = { aboutFor: 'chats', onlineFor: 'chats', pictureFor: 'chats' }
  expect(
    clampSettings({ settings, settingsAt: { aboutFor: 3, onlineFor: 30, other: 1 } }, 9),
  ).toEqual({ settings, settingsAt: { aboutFor: 3, onlineFor: 9, pictureFor: 9 } })
})

test.each([undefined, null, 'x', [], { readReceipts: 'no', lastSeenFor: 7, __proto__: { a: 1 } }])(
  'what cannot be read of %j is as if never set',
  (stored) => {
    expect(readSettings(stored)).toEqual(readSettings({}))
  },
)
