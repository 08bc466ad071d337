import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createMetrics } from '../metrics/metrics.ts'
import { createStorage } from '../storage/storage.ts'
import { openTestSocket } from '../testing/open-test-socket.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import { askServer, nameDoor } from './admin-door.ts'
import { createAdminStore } from './admin-store.ts'
import { createHealth } from './health.ts'
import { openTestMailServer } from './testing/open-test-mail-server.ts'

const opened = {} as { app: TestApp; ann: TestPerson; ben: TestPerson }

beforeAll(async () => {
  const app = await startTestApp({ PUBLIC_URL: 'https://chat.example.org' })
  opened.app = app
  opened.ann = await app.register('Ann')
  opened.ben = await app.register('Ben')
})
afterAll(() => opened.app.close())

const ask = (action: string, input: Record<string, unknown> = {}) =>
  askServer(opened.app.settings.dataDir, { action, input })

const signIn = ({ username, password }: TestPerson) =>
  opened.app.call('POST', '/api/auth/login', { body: { username, password } })

/** What somebody was sent by the account of the server. */
async function readNews({ token }: TestPerson): Promise<string[]> {
  const path = '/sync/messages/_all_docs?include_docs=true'
  const { body } = await opened.app.call('GET', path, { token })
  const docs: { content: string; orderedAt: number }[] = body.rows.map(
    ({ doc }: { doc: unknown }) => doc,
  )
  return docs.sort((a, b) => a.orderedAt - b.orderedAt).map(({ content }) => content)
}

describe('the door on this machine', () => {
  it('opens for its own user alone', async () => {
    const { mode } = await stat(nameDoor(opened.app.settings.dataDir))
    expect(mode & 0o777).toBe(0o600)
  })

  it('answers what it does not know, and what is not right, with words', async () => {
    await expect(ask('people explode')).rejects.toThrow('This server knows no “people explode”.')
    await expect(ask('people show', {})).rejects.toThrow('A name is needed.')
    await expect(ask('people show', { name: 'Zoe' })).rejects.toThrow(
      'Nobody here is called “Zoe”.',
    )
    await expect(ask('people quota', { name: 'ann', megabytes: -1 })).rejects.toThrow(
      'The quota is a whole number of MB.',
    )
  })
})

describe('people', () => {
  it('are found by a part of their name or email, and shown without a message', async () => {
    const { people } = (await ask('people list', { search: 'ANN@' })) as {
      people: { name: string; state: string }[]
    }
    expect(people.map(({ name, state }) => [name, state])).toEqual([['Ann', 'enabled']])
    const shown = await ask('people show', { name: 'ann' })
    expect(shown).toMatchObject({ name: 'Ann', email: 'ann@example.org', reportsAbout: 0 })
    expect(shown.devices).toHaveLength(1)
  })

  it('who are disabled are signed out at once, their sockets close, and no sign-in works until they are enabled', async () => {
    const cat = await opened.app.register('Cat')
    const device = await openTestSocket({ url: opened.app.url, token: cat.token })
    const closed = new Promise((resolve) => device.socket.once('close', resolve))
    expect(await ask('people disable', { name: 'cat', reason: 'spam' })).toMatchObject({ ended: 1 })
    await closed
    const me = () => opened.app.call('GET', '/api/users/me', { token: cat.token })
    expect((await me()).status).toBe(401)
    const refused = await signIn(cat)
    expect([refused.status, refused.body.code]).toEqual([403, 'account_disabled'])
    expect((await signIn({ ...cat, password: 'a guess' })).body.code).toBe('invalid_credentials')
    await ask('people enable', { name: 'Cat' })
    expect((await signIn(cat)).status).toBe(200)
    // The sign-in from before has ended for good.
    expect((await me()).status).toBe(401)
  })

  it('may be renamed, given a quota, signed out and deleted', async () => {
    const dan = await opened.app.register('Dan')
    await ask('people rename', { name: 'dan', to: 'Daniel' })
    await expect(ask('people rename', { name: 'daniel', to: 'ann' })).rejects.toThrow(
      'Somebody else is called ann.',
    )
    await ask('people quota', { name: 'daniel', megabytes: 7 })
    const usage = () => opened.app.call('GET', '/api/users/me/usage', { token: dan.token })
    expect((await usage()).body.quotaBytes).toBe(7 * 2 ** 20)
    await ask('people quota', { name: 'daniel' })
    expect((await usage()).body.quotaBytes).toBe(2_048 * 2 ** 20)
    expect(await ask('people sign-out', { name: 'daniel' })).toMatchObject({ ended: 1 })
    expect((await usage()).status).toBe(401)
    await ask('people delete', { name: 'daniel' })
    await expect(ask('people show', { name: 'daniel' })).rejects.toThrow('Nobody here')
  })

  it('with a quota of their own cannot upload beyond it', async () => {
    const eve = await opened.app.register('Eve')
    await ask('people quota', { name: 'eve', megabytes: 1 })
    const form = new FormData()
    form.set('file', new Blob(['x'.repeat(2 ** 20 + 1)], { type: 'text/plain' }), 'words.txt')
    const answer = await fetch(`${opened.app.url}/api/messages/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${eve.token}` },
      body: form,
    })
    expect(answer.status).toBe(507)
  })
})

describe('names and phone numbers', () => {
  const register = (username: string, email: string) =>
    opened.app.call('POST', '/api/auth/register', { body: { username, email, password: 'secret' } })
  const lastRecorded = async () => {
    const { entries } = (await ask('audit', { limit: 1 })) as { entries: Record<string, string>[] }
    return entries[0]
  }
  const phoneOf = async ({ token }: TestPerson) => {
    const { body } = await opened.app.call('GET', '/api/users/me', { token })
    return [body.phone_number, body.isPhoneProved]
  }

  it('are held after a deletion until somebody releases the name, once', async () => {
    await opened.app.register('Kim')
    await expect(ask('people release-name', { name: 'kim' })).rejects.toThrow(
      'Kim is here, and keeps the name.',
    )
    await ask('people delete', { name: 'kim' })
    expect((await register('Kim', 'other@example.org')).body.code).toBe('username_taken')
    expect(await ask('people release-name', { name: 'Kim', reason: 'they asked' })).toEqual({
      name: 'Kim',
      said: 'Anybody may be called Kim now.',
    })
    expect(await lastRecorded()).toMatchObject({
      action: 'people release-name',
      subject: 'Kim',
      reason: 'they asked',
    })
    await expect(ask('people release-name', { name: 'Kim' })).rejects.toThrow(
      'Nothing holds the name “Kim”: it is free.',
    )
    expect((await register('Kim', 'other@example.org')).status).toBe(201)
  })

  it('have the phone number that the operator says is theirs; who only said so loses it', async () => {
    const [lea, max] = [await opened.app.register('Lea'), await opened.app.register('Max')]
    const body = { phone_number: '+1 555 078 3881' }
    const put = { token: max.token, body }
    expect((await opened.app.call('PUT', '/api/users/profile', put)).status).toBe(200)
    expect(await phoneOf(max)).toEqual(['15550783881', false])
    const asked = { name: 'lea', number: '+1 (555) 078-3881', reason: 'saw her contract' }
    expect(await ask('people prove-phone', asked)).toEqual({
      name: 'Lea',
      number: '15550783881',
      loser: 'Max',
      said: '+15550783881 is Lea’s. Max only said so, and has it no more.',
    })
    expect([await phoneOf(lea), (await phoneOf(max))[0] ?? null]).toEqual([
      ['15550783881', true],
      null,
    ])
    expect(await lastRecorded()).toMatchObject({ action: 'people prove-phone', subject: 'Lea' })
    for (const [input, words] of [
      [{ ...asked, name: 'max' }, 'Somebody else has proved +15550783881'],
      [{ ...asked, name: 'zoe' }, 'Nobody here is called “zoe”.'],
      [{ ...asked, number: '12' }, 'Invalid phone number format'],
    ] as const) {
      await expect(ask('people prove-phone', input)).rejects.toThrow(words)
    }
    expect(await ask('people prove-phone', asked)).toMatchObject({ loser: null })
    expect((await phoneOf(lea))[0]).toBe('15550783881')
  })
})

describe('reports', () => {
  const writtenAt = '2026-11-28T10:00:00.000Z'
  const report = async (by: TestPerson, about: TestPerson, reason: string) => {
    const path = `/api/users/${about.userId}/report`
    const messages = [
      { isTheirs: true, text: 'A watch?', writtenAt },
      { isTheirs: false, text: 'No.', writtenAt },
    ]
    await opened.app.call('POST', path, { token: by.token, body: { reason, messages } })
    const { reports } = (await ask('reports list')) as { reports: { id: string; reason: string }[] }
    return reports.find((one) => one.reason === reason)?.id ?? 'none'
  }

  it('wait with names and the reason, and are answered once; the reporter hears of it', async () => {
    const id = await report(opened.ann, opened.ben, 'He sells watches')
    const shown = await ask('reports show', { id })
    expect(shown).toMatchObject({
      by: 'Ann',
      about: 'Ben',
      state: 'open',
      reason: 'He sells watches',
      messages: [
        { by: 'Ben', text: 'A watch?', writtenAt },
        { by: 'Ann', text: 'No.', writtenAt },
      ],
    })
    await ask('reports warn', { id, text: 'No advertising here, please.' })
    expect(await readNews(opened.ben)).toContain('No advertising here, please.')
    expect(await readNews(opened.ann)).toContain('You reported Ben. Thank you. They were warned.')
    await expect(ask('reports dismiss', { id })).rejects.toThrow('warned already')
    expect(await ask('reports list')).toEqual({ reports: [] })
    expect((await ask('reports list', { all: true })).reports).toHaveLength(1)
  })

  it('may disable the account that they are about', async () => {
    const fay = await opened.app.register('Fay')
    const id = await report(opened.ann, fay, 'She is a robot')
    await ask('reports disable', { id })
    expect((await signIn(fay)).body.code).toBe('account_disabled')
    await expect(ask('reports show', { id: 'none' })).rejects.toThrow('There is no report none.')
  })

  it('name who has left as they were called then, and can only be dismissed', async () => {
    const ned = await opened.app.register('Ned')
    const id = await report(opened.ann, ned, 'He sells boats')
    expect(await ask('reports show', { id })).toMatchObject({ about: 'Ned', hasLeft: false })
    await ask('people delete', { name: 'ned' })
    expect(await ask('reports show', { id })).toMatchObject({ about: 'Ned', hasLeft: true })
    for (const action of ['reports warn', 'reports disable']) {
      await expect(ask(action, { id })).rejects.toThrow('Ned has left.')
    }
    await ask('reports dismiss', { id })
    expect((await readNews(opened.ann)).at(-1)).toMatch(/^You reported Ned\. Thank you\./)
  })
})

it('an announcement reaches everybody, also those who take no first messages, from an account that nobody signs in to', async () => {
  const shy = await opened.app.register('Gus')
  const settings = { firstMessagesFrom: 'known' }
  await opened.app.call('PUT', '/api/users/settings', { token: shy.token, body: { settings } })
  const { sent } = await ask('announce', { text: 'The server rests tonight at ten.' })
  expect(sent).toBeGreaterThan(2)
  for (const person of [opened.ann, opened.ben, shy]) {
    expect(await readNews(person)).toContain('The server rests tonight at ten.')
  }
  for (const password of ['-', 'a secret']) {
    expect((await signIn({ ...shy, username: 'Petrel', password })).status).toBe(401)
  }
  await expect(ask('people disable', { name: 'petrel' })).rejects.toThrow('Announcements come from')
})

it('a forgotten password is set by a link: once, within half an hour, for somebody who may sign in, and every sign-in ends', async () => {
  const jim = await opened.app.register('Jim')
  const makeToken = async () => {
    const { link } = (await ask('reset-password', { name: 'jim' })) as { link: string }
    expect(link).toMatch(/^https:\/\/chat\.example\.org\/reset#[\w-]{32}$/)
    return link.split('#')[1]
  }
  const use = (token: string | undefined, password = 'a new secret') =>
    opened.app.call('POST', '/api/auth/reset-password', { body: { token, password } })
  const first = await makeToken()
  const second = await makeToken()
  const askSalt = (token: string | undefined) =>
    opened.app.call('POST', '/api/auth/reset-password/derivation', { body: { token } })
  const body = { username: 'Jim' }
  const known = await opened.app.call('POST', '/api/auth/password-derivation', { body })
  const { salt } = (await askSalt(second)).body
  expect(salt).toBe(known.body.salt)
  expect((await askSalt(first)).body.code).toBe('reset_link_over')
  // Made with another salt, it would open nothing.
  const secret = { v: 1, salt: `${'A'.repeat(21)}A`, secret: 'A'.repeat(43) }
  const other = { body: { token: second, secret } }
  expect((await opened.app.call('POST', '/api/auth/reset-password', other)).status).toBe(400)
  // A new link ends the one before.
  expect((await use(first)).body.code).toBe('reset_link_over')
  expect((await use('guess')).body.code).toBe('reset_link_over')
  expect((await use(second, 'tiny')).status).toBe(400)
  expect((await signIn(jim)).status).toBe(200)
  const both = await Promise.all([use(second), use(second, 'another secret')])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 410])
  const password = both[0]?.status === 200 ? 'a new secret' : 'another secret'
  expect((await opened.app.call('GET', '/api/users/me', { token: jim.token })).status).toBe(401)
  expect((await signIn(jim)).status).toBe(401)
  const now = await signIn({ ...jim, password })
  expect(now.status).toBe(200)
  expect((await use(second)).body.code).toBe('reset_link_over')
  // Whoever changes the password meanwhile ends the link.
  const third = await makeToken()
  const change = { currentPassword: password, newPassword: 'my own secret' }
  const put = { token: now.body.token, body: change }
  expect((await opened.app.call('PUT', '/api/users/me/password', put)).status).toBe(200)
  expect((await use(third)).body.code).toBe('reset_link_over')
  const fourth = await makeToken()
  await ask('people disable', { name: 'jim' })
  expect((await use(fourth)).body.code).toBe('reset_link_over')
  await expect(ask('reset-password', { name: 'jim' })).rejects.toThrow('Enable them first.')
})

describe('who makes a link for the password of others', () => {
  it('is told to the person before the link is there; an admin makes none for who cannot be told', async () => {
    const kit = await opened.app.register('Kit')
    const answer = await ask('reset-password', { name: 'kit' })
    expect(answer.isHeard).toBe(true)
    const [words] = (await readNews(kit)).slice(-1)
    expect(words).toMatch(/^Whoever runs this server made a link that sets a new password/)
    const ira = await opened.app.register('Ira')
    await ask('grant', { name: 'ira' })
    const call = (method: string, path: string, body?: unknown) =>
      opened.app.call(method, `/api/admin/${path}`, { token: ira.token, body })
    const { body } = await call('POST', 'second-factor')
    const code = new TOTP({ secret: Secret.fromBase32(body.secret) }).generate()
    await call('PUT', 'second-factor', { code })
    expect((await call('POST', 'reset-password', { name: 'kit' })).status).toBe(200)
    expect((await readNews(kit)).at(-1)).toMatch(/^Ira, who administers this server, made a link/)
    const found = await opened.app.call('GET', '/api/users/search/Petrel', { token: kit.token })
    const path = `/api/users/${found.body[0]._id}/block`
    await opened.app.call('PUT', path, { token: kit.token, body: { blocked: true } })
    const refused = await call('POST', 'reset-password', { name: 'kit' })
    expect([refused.status, refused.body.code]).toEqual([409, 'action_refused'])
    expect(refused.body.error).toContain('they blocked this server')
    // Whoever runs the machine can read the data anyway.
    expect(await ask('reset-password', { name: 'kit' })).toMatchObject({ isHeard: false })
  })
})

it('health is told from the metrics, with what needs somebody', async () => {
  const health = await ask('health')
  expect(health).toMatchObject({ version: expect.any(String), whatsApp: 'off', lastBackup: null })
  expect(health.diskLeftMb).toBeGreaterThan(0)
  expect(health.warnings).toContain('There is no backup yet: petrel backup <folder> makes one.')
})

it('health names a backup that is overdue', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-health-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const storage = createStorage({ dataDir })
  onTestFinished(() => storage.close())
  const clock = { now: 1_000_000 }
  const now = () => clock.now
  const store = createAdminStore({ storage, now })
  await store.recordBackup({ path: '/mnt/a.backup', bytes: 1 })
  const health = createHealth({
    metrics: createMetrics(),
    store,
    dataDir: undefined,
    certificate: undefined,
    backupEveryMs: 60_000,
    channelState: () => 'off',
    now,
  })
  onTestFinished(() => health.close())
  clock.now += 120_000
  expect((await health.read()).warnings).toEqual([])
  clock.now += 1
  expect((await health.read()).warnings).toEqual([
    'The last backup is older than BACKUP_EVERY twice: see the log.',
  ])
})

it('every change is in the audit log: who, what, the person, and why; reading is not', async () => {
  await ask('people sign-out', { name: 'ben', reason: 'lost his phone' })
  await ask('people show', { name: 'ben' })
  const { entries } = (await ask('audit', { limit: 1 })) as { entries: Record<string, string>[] }
  expect(entries).toEqual([
    {
      at: expect.any(String),
      by: 'operator',
      action: 'people sign-out',
      subject: 'Ben',
      reason: 'lost his phone',
    },
  ])
})

describe('over the API', () => {
  const call = (person: TestPerson, method: string, path: string, body?: unknown) =>
    opened.app.call(method, `/api/admin/${path}`, {
      token: person.token,
      ...(body !== undefined && { body }),
    })
  const codeFor = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate()

  it('others learn nothing, not even whether a person is there', async () => {
    const hal = await opened.app.register('Hal')
    for (const [method, path, body] of [
      ['POST', 'people/list', {}],
      ['POST', 'people/disable', { name: 'ann' }],
      ['POST', 'people/disable', 'nonsense'],
      ['GET', 'second-factor', undefined],
      ['POST', 'second-factor', undefined],
      ['PUT', 'second-factor', { code: '000000' }],
    ] as const) {
      const answer = await call(hal, method, path, body)
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    }
    expect((await opened.app.call('POST', '/api/admin/people/list', { body: {} })).status).toBe(401)
  })

  it('an admin needs the second factor, each code counts once, and rights end with the grant', async () => {
    const ida = await opened.app.register('Ida')
    await ask('grant', { name: 'ida' })
    expect((await call(ida, 'POST', 'people/list', {})).body.code).toBe('second_factor_needed')
    const { body } = await call(ida, 'POST', 'second-factor')
    expect(body.uri).toContain('otpauth://totp/Petrel:Ida')
    const code = codeFor(body.secret)
    const wrong = await call(ida, 'PUT', 'second-factor', {
      code: code === '000000' ? '1' : '000000',
    })
    expect(wrong.body.code).toBe('second_factor_wrong')
    expect((await call(ida, 'PUT', 'second-factor', { code })).status).toBe(200)
    expect((await call(ida, 'POST', 'people/list', {})).status).toBe(200)
    const { body: state } = await call(ida, 'GET', 'second-factor')
    expect(state).toEqual({ hasSecondFactor: true, isConfirmed: true })
    // A second device has to show it too, and a code that somebody saw is used up.
    const other = { ...ida, token: (await signIn(ida)).body.token }
    expect((await call(other, 'POST', 'people/list', {})).body.code).toBe('second_factor_needed')
    expect((await call(other, 'PUT', 'second-factor', { code })).body.code).toBe(
      'second_factor_wrong',
    )
    expect((await call(other, 'POST', 'second-factor')).body.code).toBe('action_refused')
    const own = await call(ida, 'POST', 'people/disable', { name: 'ida' })
    expect([own.status, own.body.code]).toEqual([409, 'action_refused'])
    await call(ida, 'POST', 'people/sign-out', { name: 'ben', reason: 'asked for it' })
    const { entries } = (await ask('audit', { limit: 1 })) as { entries: { by: string }[] }
    expect(entries[0]?.by).toBe(`Ida (${ida.userId})`)
    await ask('revoke', { name: 'ida' })
    expect((await call(ida, 'POST', 'people/list', {})).status).toBe(404)
  })
})

describe('who may come in', () => {
  const register = (app: TestApp, username: string, invitation?: string) =>
    app.call('POST', '/api/auth/register', {
      body: { username, email: `${username}@example.org`, password: 'a secret', invitation },
    })

  it('with REGISTRATION=closed nobody new', async () => {
    const app = await startTestApp({ REGISTRATION: 'closed' })
    try {
      expect((await app.call('GET', '/api/server')).body).toMatchObject({ registration: 'closed' })
      expect((await register(app, 'Ann', 'x')).body.code).toBe('registration_closed')
    } finally {
      await app.close()
    }
  })

  it('with REGISTRATION=invite who has an invitation, as often as it says, until it is revoked', async () => {
    const app = await startTestApp({
      REGISTRATION: 'invite',
      PUBLIC_URL: 'https://chat.example.org',
    })
    const invite = (input: Record<string, unknown>) =>
      askServer(app.settings.dataDir, { action: 'invites create', input }) as Promise<{
        code: string
        id: string
        link: string
      }>
    try {
      expect((await register(app, 'Ann')).body.code).toBe('invitation_needed')
      expect((await register(app, 'Ann', 'guess')).body.code).toBe('invitation_invalid')
      const { code, link } = await invite({ uses: 2 })
      expect(link).toBe(`https://chat.example.org/register#invitation=${code}`)
      expect((await register(app, 'Ann', code)).status).toBe(201)
      // A name that is taken uses nothing up.
      expect((await register(app, 'Ann', code)).body.code).toBe('username_taken')
      const late = await Promise.all(['Ben', 'Cat', 'Dan'].map((name) => register(app, name, code)))
      expect(late.map(({ status }) => status).sort()).toEqual([201, 403, 403])
      const stolen = await invite({ uses: 5 })
      const revoke = { action: 'invites revoke', input: { id: stolen.id } }
      await askServer(app.settings.dataDir, revoke)
      expect((await register(app, 'Eve', stolen.code)).body.code).toBe('invitation_invalid')
      await expect(askServer(app.settings.dataDir, revoke)).rejects.toThrow(
        'There is no invitation',
      )
      const list = await askServer(app.settings.dataDir, { action: 'invites list', input: {} })
      expect(list).toEqual({ invitations: [] })
    } finally {
      await app.close()
    }
  })
})

describe('who makes an invitation in the app', () => {
  const register = async (app: TestApp, username: string, invitation?: string) => {
    const { body } = await app.call('POST', '/api/auth/register', {
      body: { username, email: `${username}@example.org`, password: 'a secret', invitation },
    })
    return body.token as string
  }
  const invite = async (app: TestApp, token: string) =>
    await app.call('POST', '/api/users/me/invitations', { token })

  it('is everybody with INVITES_BY=everybody, ten times a day; each admits one person', async () => {
    const app = await startTestApp({
      REGISTRATION: 'invite',
      INVITES_BY: 'everybody',
      RATE_LIMIT: 'on',
    })
    try {
      const { code: first } = (await askServer(app.settings.dataDir, {
        action: 'invites create',
        input: {},
      })) as { code: string }
      const ann = await register(app, 'Ann', first)
      const made = await invite(app, ann)
      expect(made.status).toBe(201)
      const isFirst = await register(app, 'Ben', made.body.code)
      expect([isFirst !== undefined, await register(app, 'Eve', made.body.code)]).toEqual([
        true,
        undefined,
      ])
      for (let left = 9; left > 0; left -= 1) expect((await invite(app, ann)).status).toBe(201)
      const late = await invite(app, ann)
      expect([late.status, late.body.code]).toEqual([429, 'too_many_requests'])
      const { invitations } = (await askServer(app.settings.dataDir, {
        action: 'invites list',
        input: {},
      })) as { invitations: { by: string; usesLeft: number }[] }
      expect(invitations).toHaveLength(9)
      expect(invitations.every(({ by }) => by.startsWith('Ann ('))).toBe(true)
      expect((await app.call('GET', '/api/server')).body).toMatchObject({ invitesBy: 'everybody' })
    } finally {
      await app.close()
    }
  })

  it('is an admin where nothing else is set; nobody where an account needs none, or cannot be had', async () => {
    const app = await startTestApp({ REGISTRATION: 'invite' })
    try {
      const { code } = (await askServer(app.settings.dataDir, {
        action: 'invites create',
        input: {},
      })) as { code: string }
      const ann = await register(app, 'Ann', code)
      expect((await invite(app, ann)).body.code).toBe('invitations_by_admins')
      await askServer(app.settings.dataDir, { action: 'grant', input: { name: 'ann' } })
      expect((await invite(app, ann)).status).toBe(201)
      expect((await app.call('POST', '/api/users/me/invitations', {})).status).toBe(401)
    } finally {
      await app.close()
    }
    const open = await startTestApp({ INVITES_BY: 'everybody' })
    try {
      const ben = await register(open, 'Ben')
      expect((await invite(open, ben)).body.code).toBe('invitation_unneeded')
    } finally {
      await open.close()
    }
  })
})

describe('a forgotten password, by mail', () => {
  const ask = (app: TestApp, email: string) =>
    app.call('POST', '/api/auth/forgotten-password', { body: { email } })

  it('is nothing where the server sends no mail', async () => {
    expect((await opened.app.call('GET', '/api/server')).body.hasMail).toBe(false)
    expect((await ask(opened.app, 'ann@example.org')).status).toBe(404)
  })

  it('is answered alike whoever asks; only the address of an account gets a link, at most three in an hour', async () => {
    const mail = await openTestMailServer()
    const app = await startTestApp({
      SMTP_URL: mail.url,
      MAIL_FROM: 'petrel@example.org',
      PUBLIC_URL: 'https://chat.example.org',
      RATE_LIMIT: 'on',
    })
    try {
      const ann = await app.register('Ann')
      await app.register('Ben')
      expect((await app.call('GET', '/api/server')).body.hasMail).toBe(true)
      const answers = [await ask(app, 'ann@example.org'), await ask(app, 'nobody@example.org')]
      expect(answers.map(({ status, body }) => [status, body])).toEqual([
        [200, { isNoted: true }],
        [200, { isNoted: true }],
      ])
      const { text } = await mail.receive('ann@example.org')
      expect(text).toContain('From: petrel@example.org')
      const [, token] = /https:\/\/chat\.example\.org\/reset#([\w-]{32})/.exec(text) ?? []
      const body = { token, password: 'a new secret' }
      expect((await app.call('POST', '/api/auth/reset-password', { body })).status).toBe(200)
      expect((await app.call('GET', '/api/users/me', { token: ann.token })).status).toBe(401)
      // A name is no address.
      expect((await ask(app, 'ann')).status).toBe(400)
      for (let turn = 0; turn < 4; turn++) await ask(app, 'Ann@example.org')
      await ask(app, 'ben@example.org')
      await mail.receive('ben@example.org')
      await expect
        .poll(() => mail.mails.filter(({ to }) => to === 'ann@example.org').length)
        .toBe(3)
      expect(mail.mails.some(({ to }) => to === 'nobody@example.org')).toBe(false)
      for (let turn = 0; turn < 13; turn++) await ask(app, 'nobody@example.org')
      expect((await ask(app, 'nobody@example.org')).body.code).toBe('too_many_attempts')
      // The person hears by mail, too, of a link that an operator makes.
      await askServer(app.settings.dataDir, { action: 'reset-password', input: { name: 'ben' } })
      await expect
        .poll(() => mail.mails.some(({ text: words }) => words.includes('Somebody made a link')))
        .toBe(true)
      expect(mail.mails.filter(({ to }) => to === 'ann@example.org')).toHaveLength(3)
    } finally {
      await app.close()
      await mail.close()
    }
  })

  it('a mail server that is away changes no answer', async () => {
    const mail = await openTestMailServer()
    await mail.close()
    const app = await startTestApp({
      SMTP_URL: mail.url,
      MAIL_FROM: 'petrel@example.org',
      PUBLIC_URL: 'https://chat.example.org',
    })
    try {
      await app.register('Ann')
      expect((await ask(app, 'ann@example.org')).status).toBe(200)
    } finally {
      await app.close()
    }
  })
})
