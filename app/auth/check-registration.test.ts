import { expect, test } from 'vitest'
import { checkRegistration } from './check-registration.ts'

test('reports differing passwords first, even when they are too short', () => {
  expect(checkRegistration({ password: 'abc', confirmation: 'abd' })).toBe('Passwords do not match')
})

test('then a password that is too short', () => {
  expect(checkRegistration({ password: 'abcde', confirmation: 'abcde' })).toBe(
    'Password must be at least 6 characters',
  )
})

test('accepts a password of six characters', () => {
  expect(checkRegistration({ password: 'abcdef', confirmation: 'abcdef' })).toBeUndefined()
})
