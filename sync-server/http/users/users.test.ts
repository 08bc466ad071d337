import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '../../testing/start-test-app.ts'

const opened = {} as { app: TestApp; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp()
  opened.ann = await opened.app.register('Ann')
  opened.ben = await opened.app.register('Ben')
})
afterAll(() => opened.app.close())

const get = (path: string, token = opened.ann.token) => opened.app.call('GET', path, { token })
const put = (path: string, body: unknown, token = opened.ann.token) =>
  opened.app.call('PUT', path, { token, body })

describe('people', () => {
  it('GET /users: are listed without oneself, and without their email', async () => {
    const answer = await get('/api/users')
    expect(answer.status).toBe(200)
    expect(answer.body.map((user: { _id: string }) => user._id)).toEqual([opened.ben.userId])
    expect(answer.text).not.toContain('@example.org')
  })

  it('GET /users/{id}: are shown one by one', async () => {
    const answer = await get(`/api/users/${opened.ben.userId}`)
    expect(answer.body).toMatchObject({ _id: opened.ben.userId, username: 'Ben', isOnline: false })
    expect(answer.body).not.toHaveProperty('email')
    expect(answer.body).not.toHaveProperty('settings')
  })

  it.each(['nobody', '01890000-0000-7000-8000-00000000ffff', '..%2F..%2Fetc', '__proto__', '%00'])(
    'that are nobody are not found: %s',
    async (id) => {
      const answer = await get(`/api/users/${id}`)
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual({ error: 'User not found', code: 'user_not_found' })
    },
  )

  it('GET /users/search/{query}: are found by a part of their name, in any case', async () => {
    await opened.app.register('Benedict')
    const found = async (query: string) =>
      (await get(`/api/users/search/${encodeURIComponent(query)}`)).body.map(
        (user: { username: string }) => user.username,
      )
    expect(await found('BEN')).toEqual(['Ben', 'Benedict'])
    expect(await found('dict')).toEqual(['Benedict'])
    expect(await found('ann')).toEqual([])
    expect(await found('b')).toEqual([])
    expect(await found('  b ')).toEqual([])
    expect(await found('%/../')).toEqual([])
    await put('/api/users/profile', { username: 'Benno' }, opened.ben.token)
    expect(await found('benn')).toEqual(['Benno'])
    await put('/api/users/profile', { username: 'Ben' }, opened.ben.token)
  })

  it('GET /users/{id}/activity: tell when they were last active', async () => {
    const answer = await get(`/api/users/${opened.ben.userId}/activity`)
    expect(answer.body).toEqual({ isOnline: false, lastSeen: null })
    expect((await get('/api/users/nobody/activity')).status).toBe(404)
  })
})

describe("one's own record", () => {
  it('GET /users/me: has everything, and stays as it was where nothing is given', async () => {
    const answer = await put('/api/users/profile', { status: 'Busy', whatsapp_name: 'A' })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ username: 'Ann', status: 'Busy', whatsapp_name: 'A' })
    const cleared = await put('/api/users/profile', { whatsapp_name: null })
    expect(cleared.body).toHaveProperty('whatsapp_name', null)
    expect((await get('/api/users/me')).body).toMatchObject({
      email: 'ann@example.org',
      status: 'Busy',
    })
  })

  it.each([
    [{ username: 'Ben' }, 409, 'Username already taken'],
    [{ email: 'BEN@example.org' }, 403, /needs your password/],
    [{ email: 'free@example.org' }, 403, /needs your password/],
    [{ username: 'x'.repeat(51) }, 400, 'Name must be at most 50 characters'],
    [{ status: 'x'.repeat(151) }, 400, 'About must be at most 150 characters'],
    [{ status: 7 }, 400, 'About must be text'],
    [{ phone_number: '12' }, 400, /^Invalid phone number format/],
    [{ profilePicture: 'https://example.org/track.png' }, 400, /uploaded here/],
    [{ profilePicture: 'javascript:alert(1)' }, 400, /uploaded here/],
    [[], 400, 'Profile data is required'],
    [null, 400, 'Profile data is required'],
  ])('PUT /users/profile: refuses %j', async (body, status, words) => {
    const answer = await put('/api/users/profile', body)
    expect(answer.status).toBe(status)
    expect(answer.body.error).toMatch(words)
  })

  it('PUT /users/profile: takes no field that is not its owner’s to set', async () => {
    const forged = { _id: opened.ben.userId, passwordHash: 'x', isOnline: true, createdAt: 0 }
    const answer = await put('/api/users/profile', { ...forged, status: 'Hi' })
    expect(answer.body).toMatchObject({ _id: opened.ann.userId, isOnline: false, status: 'Hi' })
    const answerToBen = await get(`/api/users/${opened.ben.userId}`)
    expect(answerToBen.body.status).not.toBe('Hi')
  })

  it('PUT /users/settings: keeps settings, bare or wrapped', async () => {
    const before = Date.now()
    const { body } = await put('/api/users/settings', { theme: 'dark', textSize: 1 })
    expect(body.settings).toEqual({ theme: 'dark', textSize: 1 })
    expect(body.settingsAt.theme).toBeGreaterThanOrEqual(before)
    const wrapped = await put('/api/users/settings', { settings: { theme: 'light' } })
    expect(wrapped.body.settings).toEqual({ theme: 'light', textSize: 1 })
    const { settings, settingsAt } = (await get('/api/users/me')).body
    expect([settings, settingsAt]).toEqual([wrapped.body.settings, wrapped.body.settingsAt])
    for (const body of [[], 'x', null]) {
      const answer = await put('/api/users/settings', body)
      expect([answer.status, answer.body.error]).toEqual([400, 'Settings object is required'])
    }
    const odd = await put('/api/users/settings', { settings: null })
    expect([odd.status, odd.body.settings.settings]).toEqual([200, null])
    const large = await put('/api/users/settings', { text: 'x'.repeat(20_000) })
    expect([large.status, large.body.error]).toEqual([400, 'Settings are too large'])
  })

  it('PUT /users/settings: of two changes of one setting the later counts, and none is in the future', async () => {
    const settle = (theme: string, at: unknown) =>
      put('/api/users/settings', { settings: { theme }, settingsAt: { theme: at } })
    const now = Date.now()
    expect((await settle('dark', now)).body.settings.theme).toBe('dark')
    expect((await settle('light', now - 60_000)).body.settings.theme).toBe('dark')
    const ahead = (await settle('blue', now + 86_400_000)).body
    expect(ahead.settings.theme).toBe('blue')
    expect(ahead.settingsAt.theme).toBeLessThanOrEqual(Date.now())
    expect((await settle('light', 'soon')).status).toBe(400)
    for (let part = 0; part < 3; part += 1) {
      const answer = await put('/api/users/settings', { [`part${part}`]: 'x'.repeat(7_000) })
      expect([answer.status, answer.body.code]).toEqual(
        part < 2 ? [200, undefined] : [400, 'settings_too_large'],
      )
    }
  })

  it('PUT /users/status/online: says that it is online where there is no socket', async () => {
    expect((await put('/api/users/status/online', { isOnline: true })).body.isOnline).toBe(true)
    expect((await get(`/api/users/${opened.ann.userId}`, opened.ben.token)).body.isOnline).toBe(
      true,
    )
    await put('/api/users/status/online', { isOnline: false })
    await expect
      .poll(async () => (await get(`/api/users/${opened.ann.userId}/activity`)).body)
      .toEqual({ isOnline: false, lastSeen: expect.any(String) })
    expect((await put('/api/users/status/online', { isOnline: 'yes' })).status).toBe(400)
  })
})

describe('sign-ins', () => {
  it('GET /users/me/sessions, DELETE /users/me/sessions, DELETE /users/me/sessions/{id}: are listed and ended, one or all others', async () => {
    const person = await opened.app.register('Many')
    const again = async () => {
      const body = { username: 'Many', password: person.password }
      return (await opened.app.call('POST', '/api/auth/login', { body })).body.token as string
    }
    const [second, third] = [await again(), await again()]
    const list = (await get('/api/users/me/sessions', person.token)).body
    expect(list).toHaveLength(3)
    const current = list.find((one: { isCurrent: boolean }) => one.isCurrent)
    const foreign = await opened.app.call('DELETE', `/api/users/me/sessions/${current._id}`, {
      token: opened.ann.token,
    })
    expect([foreign.status, foreign.body.code]).toEqual([404, 'session_not_found'])
    const ownList = (await get('/api/users/me/sessions', second)).body
    const secondId = ownList.find((one: { isCurrent: boolean }) => one.isCurrent)._id
    const end = (path: string) => opened.app.call('DELETE', path, { token: person.token })
    expect((await end(`/api/users/me/sessions/${secondId}`)).status).toBe(200)
    expect((await get('/api/users/me', second)).status).toBe(401)
    expect((await end('/api/users/me/sessions')).status).toBe(200)
    expect((await get('/api/users/me', third)).status).toBe(401)
    expect((await get('/api/users/me', person.token)).status).toBe(200)
  })

  it('PUT /users/me/password: end with a new password, but for the one that set it', async () => {
    const person = await opened.app.register('Changer')
    const login = (password: string) =>
      opened.app.call('POST', '/api/auth/login', { body: { username: 'Changer', password } })
    const other = (await login(person.password)).body.token
    const change = (currentPassword: string, newPassword: string) =>
      put('/api/users/me/password', { currentPassword, newPassword }, person.token)
    const wrong = await change('nonsense', 'new password')
    expect([wrong.status, wrong.body.code]).toEqual([403, 'wrong_password'])
    expect((await change(person.password, 'short')).status).toBe(400)
    expect((await change(person.password, 'new password')).status).toBe(200)
    expect((await get('/api/users/me', other)).status).toBe(401)
    expect((await get('/api/users/me', person.token)).status).toBe(200)
    expect((await login(person.password)).status).toBe(401)
    expect((await login('new password')).status).toBe(200)
  })
})

describe('a new password', () => {
  it('leaves no sign-in that began with the old one, however many are under way', async () => {
    const app = await startTestApp({}, { passwordCost: 8 })
    try {
      const { token, username, password } = await app.register('Racer')
      const state = { isChanged: false }
      const signedIn: string[] = []
      const outdated: number[] = []
      const signInUntilChanged = async () => {
        while (!state.isChanged) {
          const body = { username, password }
          const answer = await app.call('POST', '/api/auth/login', { body })
          if (answer.status === 200) signedIn.push(answer.body.token)
          else outdated.push(answer.status)
        }
      }
      const signingIn = Array.from({ length: 12 }, signInUntilChanged)
      await expect.poll(() => signedIn.length).toBeGreaterThan(0)
      const body = { currentPassword: password, newPassword: 'a new secret' }
      const changed = await app.call('PUT', '/api/users/me/password', { token, body })
      state.isChanged = true
      await Promise.all(signingIn)
      expect(changed.status).toBe(200)
      // The server checked these with the old password before the change; they had not begun.
      expect(new Set(outdated)).toEqual(new Set([401]))
      const me = (one: string) => app.call('GET', '/api/users/me', { token: one })
      const alive = await Promise.all(signedIn.map(async (one) => (await me(one)).status))
      expect(new Set(alive)).toEqual(new Set([401]))
      expect((await me(token)).status).toBe(200)
      const next = { body: { username, password: 'a new secret' } }
      expect((await app.call('POST', '/api/auth/login', next)).status).toBe(200)
    } finally {
      await app.close()
    }
  })

  it('is one of two that are set at once, and the other is told that its password is wrong', async () => {
    const { token, username, password } = await opened.app.register('Twice')
    const set = async (newPassword: string) => {
      const body = { currentPassword: password, newPassword }
      return { newPassword, answer: await put('/api/users/me/password', body, token) }
    }
    const both = await Promise.all([set('one secret'), set('other secret')])
    const statuses = both.map(({ answer }) => answer.status).sort()
    expect(statuses).toEqual([200, 403])
    const done = both.find(({ answer }) => answer.status === 200)
    const body = { username, password: done?.newPassword }
    expect((await opened.app.call('POST', '/api/auth/login', { body })).status).toBe(200)
  })
})

describe('people with a known email address', () => {
  it('are found by the whole of it, but not by a part, and not by who they blocked', async () => {
    const app = await startTestApp()
    try {
      const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
      const find = async (text: string, { token } = ann) => {
        const path = `/api/users/search/${encodeURIComponent(text)}`
        const found = (await app.call('GET', path, { token })).body as { username: string }[]
        return found.map(({ username }) => username)
      }
      expect(await find(' BEN@example.org')).toEqual(['Ben'])
      expect(await find('ben@example.or')).toEqual([])
      expect(await find('@example.org')).toEqual([])
      expect(await find('ann@example.org')).toEqual([])
      const block = { token: ben.token, body: { blocked: true } }
      await app.call('PUT', `/api/users/${ann.userId}/block`, block)
      expect(await find('ben@example.org')).toEqual([])
      expect(await find('ann@example.org', ben)).toEqual(['Ann'])
    } finally {
      await app.close()
    }
  })

  it('P12: addresses cannot be tried without end', async () => {
    const app = await startTestApp({ RATE_LIMIT: 'on' })
    try {
      const { token } = await app.register('Ann')
      const guess = (text: string) => app.call('GET', `/api/users/search/${text}`, { token })
      for (let n = 0; n < 60; n++) expect((await guess(`p${n}@example.org`)).status).toBe(200)
      expect((await guess('p60@example.org')).status).toBe(429)
      expect((await guess('ben')).status).toBe(200)
    } finally {
      await app.close()
    }
  })
})

describe('DIRECTORY=contacts', () => {
  it('lists only people with a conversation, and finds others by the whole name only', async () => {
    const closed = await startTestApp({ DIRECTORY: 'contacts' })
    try {
      const ann = await closed.register('Ann')
      await closed.register('Benedict')
      const ask = (path: string) => closed.call('GET', path, { token: ann.token })
      expect((await ask('/api/users')).body).toEqual([])
      expect((await ask('/api/users/search/bene')).body).toEqual([])
      expect((await ask('/api/users/search/benedict@example.org')).body).toEqual([])
      expect((await ask('/api/users/search/BENEDICT')).body).toHaveLength(1)
    } finally {
      await closed.close()
    }
  })
})

it('P12: eight parallel changes of one’s own profile, again and again, are all made', async () => {
  const cleo = await opened.app.register('Cleo')
  const change = async (index: number) => {
    const body = {
      username: `Cleo-${index % 4}`,
      status: `about ${index}`,
      phone_number: index % 2 ? null : `4930${1_000_000 + index}`,
    }
    return (await put('/api/users/profile', body, cleo.token)).status
  }
  const settings = async (index: number) =>
    (await put('/api/users/settings', { theme: `theme-${index}` }, cleo.token)).status
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => [change(round * 8 + index), settings(index)]).flat(),
    )
    expect(answers).toEqual(Array(16).fill(200))
  }
})
