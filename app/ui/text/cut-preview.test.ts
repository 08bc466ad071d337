import { expect, test } from 'vitest'
import { formatBadge } from '../format/format-amounts.ts'
import { cutPreview } from './describe-message.ts'

test('a preview has at most 40 characters, then three dots', () => {
  expect(cutPreview('a'.repeat(40))).toBe('a'.repeat(40))
  expect(cutPreview('a'.repeat(41))).toBe(`${'a'.repeat(40)}...`)
})

test('never splits a character of two code units', () => {
  expect(cutPreview('🌊'.repeat(41))).toBe(`${'🌊'.repeat(40)}...`)
})

test('a badge ends at 99+', () => {
  expect([formatBadge(1), formatBadge(99), formatBadge(100)]).toEqual(['1', '99', '99+'])
})
