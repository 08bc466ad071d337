import { expect, test } from 'vitest'
import { createSeed, deriveAccountKeys, publishKeys } from './account-keys.ts'
import { proveKeys, readSafetyCode, safetyNumber, writeSafetyCode } from './safety-number.ts'

const ann = '01900000-0000-7000-8000-00000000000a'
const ben = '01900000-0000-7000-8000-00000000000b'
const annsKeys = deriveAccountKeys({
  seed: Uint8Array.from({ length: 32 }, (_, at) => at),
  number: 1,
})
const bensSeed = Uint8Array.from({ length: 32 }, (_, at) => 255 - at)
const annsSide = { userId: ann, keys: publishKeys(annsKeys, ann) }
const bensSide = {
  userId: ben,
  keys: publishKeys(deriveAccountKeys({ seed: bensSeed, number: 2 }), ben),
}
const renewed = {
  userId: ben,
  keys: publishKeys(deriveAccountKeys({ seed: createSeed(), number: 3 }), ben),
}
/** Of the first build; kept for ever, because people may have written it down. */
const kept = '834726302879661878076928674765911347738638616602476433664728'

test('a safety number has 60 digits, the same for both sides and every build', () => {
  expect(safetyNumber(annsSide, bensSide)).toBe(kept)
  expect(safetyNumber(bensSide, annsSide)).toBe(kept)
  expect(kept).toMatch(/^\d{60}$/)
})

test('it changes with a key, and with the person', () => {
  expect(safetyNumber(annsSide, renewed)).not.toBe(kept)
  expect(safetyNumber(annsSide, { ...bensSide, userId: ann })).not.toBe(kept)
})

test('its code is read back, and no other code is taken for one', () => {
  expect(readSafetyCode(writeSafetyCode(kept))).toBe(kept)
  for (const text of [
    kept,
    `PETREL-SAFETY-1:${kept}0`,
    `PETREL-SAFETY-2:${kept}`,
    'https://a.example',
  ]) {
    expect(readSafetyCode(text)).toBeUndefined()
  }
})

test('a proof is of the own seed, the other person and the key that they have now', () => {
  const proof = proveKeys(annsKeys, bensSide)
  expect(proof).toMatch(/^[\w-]{22}$/)
  expect(proveKeys(deriveAccountKeys({ seed: annsKeys.seed, number: 1 }), bensSide)).toBe(proof)
  expect(proveKeys(annsKeys, renewed)).not.toBe(proof)
  expect(proveKeys(annsKeys, { ...bensSide, userId: ann })).not.toBe(proof)
  expect(proveKeys({ seed: bensSeed }, bensSide)).not.toBe(proof)
})
