import { describe, expect, it } from 'vitest'
import { listPhoneVariants } from './account-documents.ts'

describe('other forms of a phone number', () => {
  it.each([
    ['551187654321', ['5511987654321']],
    ['5511987654321', ['551187654321']],
    ['551132654321', []],
    ['5215512345678', ['525512345678']],
    ['525512345678', ['5215512345678']],
    ['5491123456789', ['541123456789']],
    ['541123456789', []],
    ['16505551234', []],
  ])('of %s are %j', (digits, variants) => {
    expect(listPhoneVariants(digits)).toEqual(variants)
  })
})
