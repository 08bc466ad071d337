import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '../../testing/start-test-app.ts'

const opened = {} as { app: TestApp }
beforeAll(async () => {
  opened.app = await startTestApp()
})
afterAll(() => opened.app.close())

const register = (body: unknown) => opened.app.call('POST', '/api/auth/register', { body })
const login = (username: string, password: string, rest = {}) =>
  opened.app.call('POST', '/api/auth/login', { body: { username, password, ...rest } })
const me = (token: string) => opened.app.call('GET', '/api/users/me', { token })
const readClaims = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

describe('POST /api/auth/register', () => {
  it('creates a person and signs in', async () => {
    const answer = await register({
      username: 'Ann',
      email: ' ann@example.org ',
      password: 'secret1',
    })
    expect(answer.status).toBe(201)
    expect(answer.body.user).toMatchObject({
      username: 'Ann',
      email: 'ann@example.org',
      status: 'Hey there! I am using WhatsApp',
      isOnline: false,
      lastSeen: null,
      settings: {},
      whatsapp_connected: false,
    })
    expect(answer.text).not.toContain('secret1')
    expect(answer.text).not.toContain('passwordHash')
    expect((await me(answer.body.token)).body._id).toBe(answer.body.user._id)
  })

  it.each([
    [{}, 'Username is required'],
    [{ username: 'a' }, 'Username must be at least 2 characters'],
    [{ username: 'a'.repeat(31) }, 'Username must be at most 30 characters'],
    [{ username: 'ann@home' }, /^Username may only have/],
    [{ username: 'ann\uFE0F' }, /^Username has a character that cannot be seen/],
    [{ username: '\u3164\u3164' }, /^Username has a character that cannot be seen/],
    [{ username: '12345678901' }, 'Username must not be a phone number'],
    [{ username: { $ne: null } }, 'Username is required'],
    [{ username: 'someone' }, 'Email is required'],
    [{ username: 'someone', email: 'nowhere' }, 'Please enter a valid email address'],
    [{ username: 'someone', email: 'a@b.org' }, 'Password is required'],
    [
      { username: 'someone', email: 'a@b.org', password: 'short' },
      'Password must be at least 6 characters',
    ],
    [
      { username: 'someone', email: 'a@b.org', password: 'é'.repeat(37) },
      'Password must be at most 72 bytes long',
    ],
    [{ username: 'someone', email: 'a@b.org', password: ['secret1'] }, 'Password is required'],
    [[], 'Username, email and password are required'],
  ])('refuses %j in words', async (body, words) => {
    const answer = await register(body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ error: expect.stringMatching(words), code: 'invalid_input' })
  })

  it('gives a name and an address once, in any case', async () => {
    const person = { username: 'Taken', email: 'taken@example.org', password: 'secret1' }
    expect((await register(person)).status).toBe(201)
    const sameName = await register({ ...person, username: 'tAKEN', email: 'b@example.org' })
    expect(sameName.status).toBe(409)
    expect(sameName.body).toEqual({ error: 'Username already taken', code: 'username_taken' })
    const sameEmail = await register({ ...person, username: 'other', email: 'TAKEN@example.org' })
    expect(sameEmail.status).toBe(409)
    expect(sameEmail.body).toEqual({ error: 'Email already registered', code: 'email_taken' })
  })

  it.each([
    ['alice', '\u0430lice'],
    ['Bill', 'BiII'],
    ['Zo\u00e9', 'ZO\u00c9'],
    ['mary', 'rnary'],
  ])('gives no name that looks like a taken one: after %s not %s', async (taken, wanted) => {
    const person = {
      username: taken,
      email: `${taken.length}${taken[0]}@a.org`,
      password: 'secret1',
    }
    expect((await register(person)).status).toBe(201)
    const answer = await register({ ...person, username: wanted, email: 'other@a.org' })
    expect([answer.status, answer.body]).toEqual([
      409,
      { error: 'Username already taken', code: 'username_taken' },
    ])
  })

  it('takes names of two letters, and of any script', async () => {
    for (const [index, name] of ['Al', '李明', 'ดี', 'राम', 'Ana Lee'].entries()) {
      const email = `script-${index}@example.org`
      const answer = await register({ username: name, email, password: 'secret1' })
      expect([name, answer.status]).toEqual([name, 201])
      expect((await login(name, 'secret1')).status).toBe(200)
    }
  })
})

describe('POST /api/auth/login', () => {
  it('takes the username, the email and the phone number', async () => {
    const ben = await opened.app.register('Ben')
    const profile = { token: ben.token, body: { phone_number: '+1 234 567 8901' } }
    expect((await opened.app.call('PUT', '/api/users/profile', profile)).status).toBe(200)
    for (const name of ['ben', 'BEN@example.org', '1-234-567-8901', ' Ben ']) {
      const answer = await login(name, ben.password)
      expect(answer.status).toBe(200)
      expect(answer.body.user._id).toBe(ben.userId)
    }
  })

  it('takes a name from before a change, until somebody else has it', async () => {
    const { token, userId, password } = await opened.app.register('Formerly')
    const change = { token, body: { username: 'Nowadays' } }
    expect((await opened.app.call('PUT', '/api/users/profile', change)).status).toBe(200)
    for (const name of ['FORMERLY', 'nowadays']) {
      expect((await login(name, password)).body.user).toMatchObject({
        _id: userId,
        username: 'Nowadays',
      })
    }
    const next = { username: 'formerly', email: 'next@example.org', password: 'another secret' }
    expect((await register(next)).status).toBe(201)
    expect((await login('formerly', password)).status).toBe(401)
    expect((await login('formerly', next.password)).body.user.email).toBe(next.email)
    expect((await login('nowadays', password)).status).toBe(200)
  })

  it('takes half of a surrogate pair for nobody’s name', async () => {
    for (const name of ['\ud800', 'ann\udc00@example.org']) {
      const answer = await login(name, 'nonsense')
      expect([answer.status, answer.body.code]).toEqual([401, 'invalid_credentials'])
    }
  })

  it('answers a wrong name and a wrong password alike', async () => {
    await opened.app.register('Cyd')
    const wrongPassword = await login('cyd', 'nonsense')
    const wrongName = await login('nobody', 'nonsense')
    expect(wrongPassword.status).toBe(401)
    expect(wrongPassword.body).toEqual({
      error: 'Wrong username or password',
      code: 'invalid_credentials',
    })
    expect(wrongName.body).toEqual(wrongPassword.body)
  })

  it('lasts thirty days, or twelve hours when it is not to be kept', async () => {
    const di = await opened.app.register('Dia')
    const hours = async (rest: object) => {
      const { exp, iat } = readClaims((await login('Dia', di.password, rest)).body.token)
      return Math.round((exp - iat) / 3600)
    }
    expect(await hours({})).toBe(30 * 24)
    expect(await hours({ keepSignedIn: true })).toBe(30 * 24)
    expect(await hours({ keepSignedIn: false })).toBe(12)
  })

  it.each([
    [{ username: 'ann' }, 'Password is required'],
    [{ password: 'x' }, 'Username is required'],
    [{ username: { $gt: '' }, password: { $gt: '' } }, 'Username is required'],
    [{ username: 'ann', password: 'x'.repeat(2_000) }, 'Password is too long'],
  ])('refuses %j', async (body, words) => {
    const answer = await opened.app.call('POST', '/api/auth/login', { body })
    expect([answer.status, answer.body.error]).toEqual([400, words])
  })
})

describe('POST /api/auth/logout', () => {
  it('ends the sign-in, and no other', async () => {
    const ed = await opened.app.register('Edd')
    const other = (await login('edd', ed.password)).body.token
    expect((await opened.app.call('POST', '/api/auth/logout', { token: ed.token })).status).toBe(
      200,
    )
    const answer = await me(ed.token)
    expect(answer.status).toBe(401)
    expect(answer.body.code).toBe('session_ended')
    expect((await me(other)).status).toBe(200)
    await opened.app.restart()
    expect((await me(ed.token)).status).toBe(401)
    expect((await me(other)).status).toBe(200)
  })
})

describe('a flood of sign-ins', () => {
  it('P12: delays neither messages nor those who sign in from elsewhere', async () => {
    const app = await startTestApp({ TRUST_PROXY: '1' }, { passwordCost: 10 })
    try {
      const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
      const order: string[] = []
      const signIn = async ({ username, password }: TestPerson, from: string) => {
        const headers = { 'x-forwarded-for': from }
        const body = { username, password }
        const { status } = await app.call('POST', '/api/auth/login', { headers, body })
        order.push(status === 200 ? username : `${status}`)
      }
      const flood = Array.from({ length: 80 }, () => signIn(ann, '192.0.2.1'))
      await flood[0]
      const said = app.call('POST', '/api/messages', {
        token: ben.token,
        body: { recipientId: ann.userId, content: 'not delayed' },
      })
      const others = [
        signIn(ben, '198.51.100.7'),
        said.then(({ status }) => order.push(`message ${status}`)),
      ]
      await Promise.all([...flood, ...others])
      // In order of arrival both would be among the last.
      expect(order.indexOf('Ben')).toBeLessThan(60)
      expect(order.indexOf('Ben')).toBeGreaterThan(0)
      expect(order.indexOf('message 201')).toBeLessThan(60)
      expect(order).toHaveLength(82)
      expect(order.filter((who) => who === 'Ann')).toHaveLength(80)
    } finally {
      await app.close()
    }
  })
})

describe('limits', () => {
  it('stop the eleventh guess at one name from one address, and nobody else', async () => {
    const limited = await startTestApp({ RATE_LIMIT: 'on' })
    try {
      const { password } = await limited.register('Ann')
      await limited.register('Ben')
      const guess = (username: string, tried: string) =>
        limited.call('POST', '/api/auth/login', { body: { username, password: tried } })
      const guesses = await Promise.all(Array.from({ length: 12 }, () => guess('ann', 'guess')))
      const statuses = guesses.map(({ status }) => status).sort()
      expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
      const answer = await guess(' ANN', password)
      expect(answer.status).toBe(429)
      expect(answer.body.code).toBe('too_many_attempts')
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await guess('ben', `Ben's password`)).status).toBe(200)
      // An immediate refusal would reveal that the address is Ann's.
      expect((await guess('ann@example.org', 'guess')).status).toBe(401)
    } finally {
      await limited.close()
    }
  })

  it('stop every spelling of a phone number together, whether or not anybody has it', async () => {
    const limited = await startTestApp({ RATE_LIMIT: 'on' })
    try {
      const guess = async (username: string) => {
        const body = { username, password: 'guess' }
        return (await limited.call('POST', '/api/auth/login', { body })).status
      }
      const spellings = Array.from({ length: 10 }, (_, i) => `+1 234-567${'-'.repeat(i)}8901`)
      for (const spelling of spellings) expect(await guess(spelling)).toBe(401)
      expect(await guess('(1) 234 567 89 01')).toBe(429)
    } finally {
      await limited.close()
    }
  })

  it('stop whoever tries to register without end, whether or not it succeeds', async () => {
    const limited = await startTestApp({ RATE_LIMIT: 'on' }, { passwordCost: 10 })
    try {
      const { username, email, password } = await limited.register('Ann')
      const body = { username, email, password }
      const again = () => limited.call('POST', '/api/auth/register', { body })
      const answers = await Promise.all(Array.from({ length: 300 }, again))
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([...Array(99).fill(409), ...Array(201).fill(429)])
    } finally {
      await limited.close()
    }
  })

  it('are not needed for a name that is taken: it costs no password hash', async () => {
    const unlimited = await startTestApp({}, { passwordCost: 10 })
    try {
      const { username, email, password } = await unlimited.register('Ann')
      const body = { username, email, password }
      const again = () => unlimited.call('POST', '/api/auth/register', { body })
      const answers = await Promise.all(Array.from({ length: 300 }, again))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([409]))
    } finally {
      await unlimited.close()
    }
  })
})
