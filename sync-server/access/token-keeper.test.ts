import jwt from 'jsonwebtoken'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTokenKeeper } from './token-keeper.ts'

const secret = 'a secret that is long enough for all'
const tokens = createTokenKeeper({ secret })
const ann = { userId: 'ann', sessionId: 's1' }
const inAnHour = Date.now() + 3_600_000
const payload = { sub: 'ann', sid: 's1', exp: Math.floor(inAnHour / 1000) }

describe('tokens', () => {
  it('give back the caller they were made for', () => {
    expect(tokens.read(tokens.sign(ann, inAnHour))).toEqual({
      ...ann,
      expiresAt: payload.exp * 1000,
    })
  })

  it('are refused once they are over, however often they were read before', () => {
    const token = tokens.sign(ann, inAnHour)
    expect(tokens.read(token)).toMatchObject(ann)
    vi.useFakeTimers({ toFake: ['Date'], now: inAnHour + 1_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(tokens.read(token)).toBeNull()
  })

  it.each([
    ['no token at all', ''],
    ['an unsigned one', jwt.sign(payload, '', { algorithm: 'none' })],
    ['another secret', createTokenKeeper({ secret: `${secret}!` }).sign(ann, inAnHour)],
    [
      'another algorithm',
      jwt.sign(payload, secret, { algorithm: 'HS512', issuer: 'petrel', audience: 'petrel' }),
    ],
    ['another audience', jwt.sign(payload, secret, { issuer: 'petrel', audience: 'others' })],
    ['no audience', jwt.sign(payload, secret)],
    ['an old one', tokens.sign(ann, Date.now() - 1_000)],
    [
      'no session',
      jwt.sign({ sub: 'ann', exp: payload.exp }, secret, { issuer: 'petrel', audience: 'petrel' }),
    ],
    [
      'no end',
      jwt.sign({ sub: 'ann', sid: 's1' }, secret, { issuer: 'petrel', audience: 'petrel' }),
    ],
  ])('refuse %s', (_what, token) => {
    expect(tokens.read(token)).toBeNull()
  })
})
