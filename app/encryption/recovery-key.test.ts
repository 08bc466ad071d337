import { expect, test } from 'vitest'
import {
  createRecoveryKey,
  readRecoveryKey,
  recoveryWrapKey,
  writeRecoveryKey,
} from './recovery-key.ts'

const bytes = Uint8Array.from({ length: 32 }, (_, at) => at * 7)
/** What the first build wrote; kept for ever, because people have it on paper. */
const kept = 'AADQ 4FI4 EMVD COB7 IZGV IW3C NFYH O7UF RSJZ VINI V63L 3RGL 2LMS'

test('a recovery key is 52 letters in groups, the same in every build', () => {
  expect(writeRecoveryKey(bytes)).toBe(kept)
  expect(readRecoveryKey(kept)).toEqual(bytes)
  expect(kept).toMatch(/^([A-Z2-7]{4} ){12}[A-Z2-7]{4}$/)
  expect(Buffer.from(recoveryWrapKey(bytes)).toString('base64url')).toBe(
    'Emg2hUZ8iMoGSmJGJUTOaWrgejdKsxOcF0I3mG07VgM',
  )
})

test('each one is another', () => {
  expect(createRecoveryKey()).not.toBe(createRecoveryKey())
  expect(readRecoveryKey(createRecoveryKey())).toHaveLength(32)
})

test('it is read however somebody types it', () => {
  expect(readRecoveryKey(kept.toLowerCase().replaceAll(' ', ''))).toEqual(bytes)
  expect(readRecoveryKey(`\n${kept.replaceAll(' ', '-')} `)).toEqual(bytes)
  expect(
    readRecoveryKey(kept.replaceAll('O', '0').replaceAll('I', '1').replaceAll('B', '8')),
  ).toEqual(bytes)
})

test('what is none is noticed', () => {
  for (const text of [
    '',
    kept.slice(1),
    `${kept}A`,
    kept.replace(/^./, '9'),
    kept.replace(/^./, '!'),
  ]) {
    expect(readRecoveryKey(text)).toBeUndefined()
  }
})

test('a mistyped letter is mostly noticed', () => {
  const places = [...kept].flatMap((letter, at) => (letter === ' ' ? [] : [at]))
  const noticed = places.filter((at) => {
    const other = kept[at] === 'A' ? 'C' : 'A'
    return readRecoveryKey(kept.slice(0, at) + other + kept.slice(at + 1)) === undefined
  })
  expect(noticed.length).toBeGreaterThan(places.length * 0.8)
})
