import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeText } from './text.ts'

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const

test('normalizes what people write as JavaScript does', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(...forms),
      (text, form) => {
        expect(normalizeText(text, form)).toBe(text.normalize(form))
      },
    ),
  )
})

test('keeps thirty marks of a run', () => {
  const marks = `${'\u0315'.repeat(20_000)}${'\u0316'.repeat(20_000)}`
  for (const form of forms) {
    expect(normalizeText(`a${marks}b${marks}`, form)).toBe(
      `a${'\u0315'.repeat(30)}b${'\u0315'.repeat(30)}`,
    )
  }
})
