import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '../../testing/start-test-app.ts'

const opened = {} as { app: TestApp }
beforeAll(async () => {
  opened.app = await startTestApp()
})
afterAll(() => opened.app.close())

const change = ({ token }: TestPerson, body: unknown, app = opened.app) =>
  app.call('PUT', '/api/users/email', { token, body })
const signIn = (username: string, password: string) =>
  opened.app.call('POST', '/api/auth/login', { body: { username, password } })

it('signs in with the new one alone, and anybody may have the old one', async () => {
  const ann = await opened.app.register('Ann')
  const answer = await change(ann, { email: ' Ann@ship.example ', password: ann.password })
  expect([answer.status, answer.body]).toMatchObject([
    200,
    { _id: ann.userId, email: 'Ann@ship.example' },
  ])
  expect((await signIn('ann@SHIP.example', ann.password)).status).toBe(200)
  expect((await signIn('ann@example.org', ann.password)).status).toBe(401)
  const next = { username: 'Next', email: 'ann@example.org', password: 'another secret' }
  expect((await opened.app.call('POST', '/api/auth/register', { body: next })).status).toBe(201)
})

it('refuses in words, and leaves the account as it was', async () => {
  const [ben, cyd] = [await opened.app.register('Ben'), await opened.app.register('Cyd')]
  const { password } = cyd
  for (const [body, status, words] of [
    [{ email: 'c@ship.example', password: 'guess' }, 403, 'The current password is wrong.'],
    [{ email: 'c@ship.example' }, 400, 'Password is required'],
    [{ email: 'nobody', password }, 400, 'Please enter a valid email address'],
    [{ email: ben.email.toUpperCase(), password }, 409, 'Email already registered'],
    [null, 400, 'The new email and the password are required'],
  ] as const) {
    const answer = await change(cyd, body)
    expect([answer.status, answer.body.error]).toEqual([status, words])
  }
  expect((await signIn(cyd.email, password)).status).toBe(200)
  const anonymous = await opened.app.call('PUT', '/api/users/email', {
    body: { email: 'c@ship.example', password },
  })
  expect(anonymous.status).toBe(401)
})

it('has one owner, however many ask for it at once', async () => {
  const people = await Promise.all(['Dia', 'Edd', 'Fay'].map((name) => opened.app.register(name)))
  const answers = await Promise.all(
    people.map((person) => change(person, { email: 'wanted@x.org', password: person.password })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  for (const [index, { email, password, userId }] of people.entries()) {
    const isWinner = answers[index]?.status === 200
    const { body } = await signIn(isWinner ? 'wanted@x.org' : email, password)
    expect(body.user._id).toBe(userId)
  }
})

it('is not changed with a password that has changed meanwhile', async () => {
  const gus = await opened.app.register('Gus')
  const [changed, email] = await Promise.all([
    opened.app.call('PUT', '/api/users/me/password', {
      token: gus.token,
      body: { currentPassword: gus.password, newPassword: 'a new secret' },
    }),
    change(gus, { email: 'gus@ship.example', password: gus.password }),
  ])
  expect(changed.status).toBe(200)
  expect([200, 403]).toContain(email.status)
  const own = email.status === 200 ? 'gus@ship.example' : gus.email
  expect((await signIn(own, 'a new secret')).body.user._id).toBe(gus.userId)
})

it('limits guesses together with those at the password', async () => {
  const limited = await startTestApp({ RATE_LIMIT: 'on' })
  try {
    const ann = await limited.register('Ann')
    const guesses = await Promise.all(
      Array.from({ length: 12 }, () =>
        change(ann, { email: 'a@ship.example', password: 'guess' }, limited),
      ),
    )
    const statuses = guesses.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(10).fill(403), 429, 429])
    const body = { currentPassword: ann.password, newPassword: 'a new secret' }
    const other = await limited.call('PUT', '/api/users/me/password', { token: ann.token, body })
    expect([other.status, other.body.code]).toEqual([429, 'too_many_attempts'])
  } finally {
    await limited.close()
  }
})
