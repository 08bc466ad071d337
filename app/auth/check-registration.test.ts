import { describe, expect, it } from 'vitest'
import { checkRegistration } from './register-page.tsx'

const good = {
  username: 'ann',
  email: 'ann@example.org',
  password: 'ann-secret',
  confirmation: 'ann-secret',
}
const check = (change: Partial<typeof good>) => checkRegistration({ ...good, ...change })

describe('what a registration gets wrong', () => {
  it('is nothing where all is well', () => {
    expect(check({})).toEqual([])
  })

  it('is first that the passwords differ, then that the password is short', () => {
    expect(check({ password: 'a', confirmation: 'b' })).toEqual([
      { field: 'confirmation', words: 'Passwords do not match' },
    ])
    expect(check({ password: 'short', confirmation: 'short' })).toEqual([
      { field: 'password', words: 'Password must be at least 6 characters' },
    ])
  })

  it('stands beside every field that is empty', () => {
    const empty = { username: ' ', email: '', password: '', confirmation: '' }
    expect(check(empty).map(({ field }) => field)).toEqual([
      'username',
      'email',
      'password',
      'confirmation',
    ])
    expect(check({ email: '' })).toEqual([{ field: 'email', words: 'Enter your email address' }])
  })

  it('is what the server would refuse, in its words', () => {
    const found = check({ username: 'a', email: 'ann@' })
    expect(found.map(({ field }) => field)).toEqual(['username', 'email'])
    for (const { words } of found) expect(words).not.toBe('')
  })
})
