import { expect, test } from 'vitest'
import { describeSignIn } from './profile-facts.tsx'

test.each([
  [{}, 'Sign in with this name or your email.'],
  [{ phone_number: '15550100200' }, 'Sign in with this name, your email or your phone number.'],
  [
    { formerNames: ['Ann'] },
    'Sign in with this name or your email. Your earlier name “Ann” also works until someone else registers it.',
  ],
  [
    { formerNames: ['Anna', 'Ann'] },
    'Sign in with this name or your email. Your earlier names “Anna”, “Ann” also work until someone else registers them.',
  ],
])('of %j it says: %s', (user, words) => {
  expect(describeSignIn(user)).toBe(words)
})
