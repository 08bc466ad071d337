import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicKeysText } from '../../../schema/encryption/account-keys.ts'
import { startTestApp, type TestApp, type TestPerson } from '../../testing/start-test-app.ts'

const opened = {} as { app: TestApp }
beforeAll(async () => {
  opened.app = await startTestApp({ END_TO_END: 'on' })
})
afterAll(() => opened.app.close())

const call = (method: string, path: string, { token }: TestPerson, body?: object) =>
  opened.app.call(method, path, { token, ...(body && { body }) })

/** Keys as an app publishes them; what they wrap is opaque to the server. */
function makeKeys(userId: string, number: number, agreement?: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const open = { v: 1 as const, number, agreement: agreement ?? x, signing: x }
  const text = new TextEncoder().encode(publicKeysText(open, userId))
  const signature = sign(null, text, privateKey).toString('base64url')
  return { keys: { ...open, signature }, wrappedSeed: makeWrap(number) }
}

function makeWrap(number: number, letter = 'A') {
  return { v: 1, number, box: letter.repeat(80) }
}

describe('keys', () => {
  it('are part of the record that everybody sees; what opens them is told to their person alone', async () => {
    const [ann, ben] = [await opened.app.register('Ann'), await opened.app.register('Ben')]
    const first = makeKeys(ann.userId, 1)
    const recoverySeed = makeWrap(1, 'R')
    const answer = await call('PUT', '/api/users/me/keys', ann, { ...first, recoverySeed })
    expect([answer.status, answer.body.keys]).toEqual([200, first.keys])
    expect(answer.text).not.toContain(first.wrappedSeed.box)
    const seen = await call('GET', `/api/users/${ann.userId}`, ben)
    expect(seen.body.keys).toEqual(first.keys)
    expect(seen.text).not.toContain('AAAA')
    expect(seen.text).not.toContain('RRRR')
    const own = await call('GET', '/api/users/me/keys', ann)
    expect(own.body).toEqual({ wrappedSeed: first.wrappedSeed, recoverySeed })
    expect((await call('GET', '/api/users/me/keys', ben)).body).toEqual({})
    // The same again is an answer that got lost.
    expect((await call('PUT', '/api/users/me/keys', ann, first)).status).toBe(200)
    const signIn = { username: 'Ann', password: ann.password }
    const signedIn = await opened.app.call('POST', '/api/auth/login', { body: signIn })
    expect(signedIn.body.wrappedSeed).toEqual(first.wrappedSeed)
  })

  it('give way to the next number alone, and only with the password', async () => {
    const cyd = await opened.app.register('Cyd')
    const put = (body: object) => call('PUT', '/api/users/me/keys', cyd, body)
    expect((await put(makeKeys(cyd.userId, 2))).body.code).toBe('keys_outdated')
    expect((await put({ ...makeKeys(cyd.userId, 1), recoverySeed: makeWrap(1) })).status).toBe(200)
    const next = makeKeys(cyd.userId, 2)
    expect((await put(makeKeys(cyd.userId, 1))).body.code).toBe('keys_outdated')
    expect((await put(next)).body.code).toBe('wrong_password')
    expect((await put({ ...next, password: 'a guess' })).body.code).toBe('wrong_password')
    const { keys: former } = (await call('GET', `/api/users/${cyd.userId}`, cyd)).body
    const { body } = await put({ ...next, password: cyd.password })
    expect([body.keys, body.formerKeys]).toEqual([next.keys, [former]])
    const third = makeKeys(cyd.userId, 3)
    await put({ ...third, password: cyd.password })
    const seen = (await call('GET', `/api/users/${cyd.userId}`, await opened.app.register('Dee')))
      .body
    expect([seen.keys, seen.formerKeys]).toEqual([third.keys, [next.keys, former]])
    // The recovery key of earlier keys opens these no more.
    expect((await call('GET', '/api/users/me/keys', cyd)).body).toEqual({
      wrappedSeed: third.wrappedSeed,
    })
  })

  it.each([
    [
      'of another person',
      (ours: ReturnType<typeof makeKeys>, theirs: typeof ours) => ({ ...ours, ...theirs }),
    ],
    [
      'with another number than the wrapped seed',
      (ours: ReturnType<typeof makeKeys>) => ({ ...ours, wrappedSeed: makeWrap(2) }),
    ],
    [
      'with a changed key',
      (ours: ReturnType<typeof makeKeys>) => ({
        ...ours,
        keys: { ...ours.keys, agreement: 'A'.repeat(43) },
      }),
    ],
    [
      'of no point',
      (ours: ReturnType<typeof makeKeys>) => ({
        ...ours,
        keys: { ...ours.keys, signing: '_'.repeat(43) },
      }),
    ],
  ])('%s are refused', async (what, change) => {
    const dan = await opened.app.register(
      `dan-${createHash('sha256').update(what).digest('hex').slice(0, 8)}`,
    )
    const body = change(
      makeKeys(dan.userId, 1),
      makeKeys('01900000-0000-7000-8000-00000000000b', 1),
    )
    expect((await call('PUT', '/api/users/me/keys', dan, body)).status).toBe(400)
    expect((await call('GET', '/api/users/me', dan)).body.keys).toBeUndefined()
  })

  it('P13: that nothing can be sealed for are refused', async () => {
    const gus = await opened.app.register('Gus')
    const keys = makeKeys(gus.userId, 1, 'A'.repeat(43))
    const answer = await call('PUT', '/api/users/me/keys', gus, keys)
    expect([answer.status, answer.body.error]).toEqual([400, 'Nothing can be sealed for this key.'])
    expect((await call('GET', '/api/users/me', gus)).body.keys).toBeUndefined()
  })

  it('are wrapped once more with the password alone, and never those of other keys', async () => {
    const eve = await opened.app.register('Eve')
    await call('PUT', '/api/users/me/keys', eve, makeKeys(eve.userId, 1))
    const put = (body: object) => call('PUT', '/api/users/me/keys/wraps', eve, body)
    const recoverySeed = makeWrap(1, 'R')
    expect((await put({ recoverySeed })).status).toBe(400)
    expect((await put({ recoverySeed, password: 'a guess' })).body.code).toBe('wrong_password')
    const { password } = eve
    expect((await put({ password })).status).toBe(400)
    expect((await put({ recoverySeed: makeWrap(2), password })).body.code).toBe('keys_outdated')
    expect((await put({ recoverySeed, password })).body).toEqual({
      wrappedSeed: makeWrap(1),
      recoverySeed,
    })
  })

  it('are not taken where the operator turned encryption off', async () => {
    const app = await startTestApp({ END_TO_END: 'off' })
    try {
      const { userId, token } = await app.register('Ann')
      const answer = await app.call('PUT', '/api/users/me/keys', {
        token,
        body: makeKeys(userId, 1),
      })
      expect([answer.status, answer.body.code]).toEqual([409, 'encryption_off'])
    } finally {
      await app.close()
    }
  })
})

describe('POST /auth/password-derivation', () => {
  const ask = (username: string, app = opened.app) =>
    app.call('POST', '/api/auth/password-derivation', { body: { username } })

  it('answers for names that nobody has, and keeps to it when somebody registers one', async () => {
    const before = await ask('Fay')
    expect(before.body).toMatchObject({
      v: 1,
      salt: expect.stringMatching(/^[\w-]{22}$/),
      r: 8,
      p: 3,
    })
    expect((await ask(' fAY ')).body).toEqual(before.body)
    expect((await ask('fay@example.org')).body.salt).not.toBe(before.body.salt)
    await opened.app.register('Fay')
    expect((await ask('fay')).body).toEqual(before.body)
    expect((await ask('fay@example.org')).body).toEqual(before.body)
  })

  it('has other salts on another server', async () => {
    const other = await startTestApp()
    try {
      expect((await ask('Gus', other)).body.salt).not.toBe((await ask('Gus')).body.salt)
    } finally {
      await other.close()
    }
  })

  it('P12: is limited by address', async () => {
    const limited = await startTestApp({ RATE_LIMIT: 'on' })
    try {
      const statuses = new Set<number>()
      for (let at = 0; at < 310; at += 1) statuses.add((await ask(`name ${at}`, limited)).status)
      expect([...statuses]).toEqual([200, 429])
    } finally {
      await limited.close()
    }
  })
})
