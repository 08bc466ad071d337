import bcrypt from 'bcryptjs'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { must } from '../../../schema/helpers/assertions.ts'
import type {
  AccountDocument,
  AccountsDocument,
} from '../../../sync-server/access/account-documents.ts'
import { createPasswordResets } from '../../../sync-server/access/password-resets.ts'
import { startTestApp, type TestApp } from '../../../sync-server/testing/start-test-app.ts'
import { createApi } from '../../api/api.ts'
import { createSessionStore } from '../../api/session-store.ts'
import { createKeyValueStorage } from '../../database/storage/key-value-storage.ts'
import { openDeviceStore } from '../../database/storage/open-device-store.ts'
import { checkPublishedKeys } from '../../encryption/account-keys.ts'
import { derivePasswordSecrets } from '../../encryption/password-secrets.ts'
import { createAccountAccess } from './account-access.ts'

const opened = {} as { app: TestApp }
beforeAll(async () => {
  opened.app = await startTestApp({ END_TO_END: 'on' }, { passwordCost: 15 })
})
afterAll(() => opened.app.close())

/** A device with its own storage, and everything that it sent. */
function openDevice() {
  const indexedDB = new IDBFactory()
  const sent: string[] = []
  const state = { isBroken: (_path: string) => false }
  const sessions = createSessionStore({
    kept: createKeyValueStorage(),
    passing: createKeyValueStorage(),
  })
  const api = createApi({
    serverUrl: opened.app.url,
    sessions,
    fetch: async (input, init) => {
      sent.push(`${input} ${init?.body ?? ''}`)
      if (state.isBroken(String(input))) throw new TypeError('The line is down.')
      // Deriving keeps this process busy for longer than the server keeps an idle connection.
      const headers = { ...Object.fromEntries(new Headers(init?.headers)), connection: 'close' }
      return await fetch(input, { ...init, headers })
    },
  })
  const openStore = (userId: string) =>
    openDeviceStore({ name: `petrel-${userId}`, indexedDB, IDBKeyRange })
  const access = createAccountAccess({
    auth: api.auth,
    own: api.own,
    derive: derivePasswordSecrets,
    readUser: () => sessions.get()?.user,
    openStore,
  })
  const userId = () => must(sessions.get(), 'a sign-in').user._id
  return {
    access,
    api,
    sent,
    state,
    sessions,
    async register(username: string, password: string) {
      const email = `${username}@example.org`
      sessions.set(await access.register({ username, email, password }), { keepSignedIn: true })
    },
    async signIn(username: string, password: string) {
      sessions.set(await access.signIn({ username, password }), { keepSignedIn: true })
    },
    async readSeeds() {
      const store = await openStore(userId())
      const rows = await store.keyring.toArray()
      store.close()
      return rows.map(({ keys }) => Buffer.from(keys.seed).toString('hex'))
    },
    async readNote(id: 'opener' | 'recovery') {
      const store = await openStore(userId())
      const note = await store.keyNotes.get(id)
      store.close()
      return note
    },
    async readRecoveryKey() {
      const note = await this.readNote('recovery')
      return note?._id === 'recovery' ? note.text : ''
    },
    me: () => api.own.me(),
  }
}

const rest = (path: string, body: object, token?: string, method = 'POST') =>
  opened.app.call(method, path, { body, ...(token && { token }) })
const restSignIn = (username: string, password: string) =>
  rest('/api/auth/login', { username, password })

/** Gives the account the password hash that the first servers kept. */
async function makeEarlier(userId: string, password: string) {
  await opened.app.whileStopped(async (storage) => {
    const id = `user:${userId}` as const
    await storage.database<AccountsDocument>('accounts').update([id, 'passwords'], (stored) => {
      const account = stored.get(id) as AccountDocument
      return {
        put: [
          { ...account, passwordHash: bcrypt.hashSync(password, 10) },
          ...(stored.has('passwords')
            ? [{ _id: 'passwords' as const, areRenewed: true as const, _deleted: true as const }]
            : []),
        ] as AccountsDocument[],
        result: undefined,
      }
    })
  })
}

describe('signing in', () => {
  test('P13: the password is never told, and each device gets the same keys', async () => {
    const password = 'a password of Ann'
    const laptop = openDevice()
    await laptop.register('ann', password)
    const { keys, _id } = await laptop.me()
    expect(checkPublishedKeys(must(keys, 'keys'), _id)).toBe(true)
    expect(keys?.number).toBe(1)
    const phone = openDevice()
    await phone.signIn('ANN@example.org', password)
    expect(await phone.readSeeds()).toEqual(await laptop.readSeeds())
    expect(await phone.readSeeds()).toHaveLength(1)
    for (const sent of [laptop.sent, phone.sent]) {
      expect(sent.length).toBeGreaterThan(1)
      expect(sent.join('\n')).not.toContain(password)
    }
    // Neither is what opens the seed, nor the seed itself.
    const everything = [...laptop.sent, ...phone.sent].join('\n')
    const [seed = ''] = await laptop.readSeeds()
    expect(everything).not.toContain(Buffer.from(seed, 'hex').toString('base64url'))
  })

  test('a wrong password is refused in the same words, for people and for nobody', async () => {
    const device = openDevice()
    for (const name of ['ann', 'nobody at all']) {
      const refused = device.signIn(name, 'not the password')
      await expect(refused).rejects.toThrow('Wrong username or password')
    }
    expect(device.sessions.get()).toBeUndefined()
  })

  test('what is missing is said before anything is derived', async () => {
    const { access, sent } = openDevice()
    await expect(access.signIn({ username: 'ann', password: '' })).rejects.toThrow(
      'Password is required',
    )
    const short = { username: 'short', email: 'short@example.org', password: 'short' }
    await expect(access.register(short)).rejects.toThrow('Password must be at least 6 characters')
    const long = { ...short, password: 'é'.repeat(37) }
    await expect(access.register(long)).rejects.toThrow('Password must be at most 72 bytes long')
    expect(sent).toEqual([])
  })

  test('a script signs in with the password itself, and its account gets keys with the app', async () => {
    const password = 'a password of Ben'
    const body = { username: 'ben', email: 'ben@example.org', password }
    const registered = await rest('/api/auth/register', body)
    expect(registered.status).toBe(201)
    expect(registered.body.user.keys).toBeUndefined()
    const device = openDevice()
    await device.signIn('ben', password)
    expect((await device.me()).keys?.number).toBe(1)
    const again = await restSignIn('ben', password)
    expect([again.status, again.body.user.keys.number]).toEqual([200, 1])
    expect((await restSignIn('ben', 'guess')).status).toBe(401)
  })

  test('a line that breaks before the keys arrive keeps nobody out, and they come later', async () => {
    const device = openDevice()
    device.state.isBroken = (path) => path.endsWith('/users/me/keys')
    await device.register('broken-line', 'a password of Cyd')
    expect(await device.readSeeds()).toEqual([])
    expect((await device.me()).keys).toBeUndefined()
    device.state.isBroken = () => false
    await device.access.finishKeys()
    expect((await device.me()).keys?.number).toBe(1)
    expect(await device.readSeeds()).toHaveLength(1)
    expect(await device.readNote('opener')).toBeUndefined()
    const phone = openDevice()
    await phone.signIn('broken-line', 'a password of Cyd')
    expect(await phone.readSeeds()).toEqual(await device.readSeeds())
  })

  test('two devices that make the first keys at the same time agree on those of one', async () => {
    const [one, two] = [openDevice(), openDevice()]
    await rest('/api/auth/register', {
      username: 'twice',
      email: 'twice@example.org',
      password: 'a password of Dan',
    })
    await Promise.all([one, two].map((each) => each.signIn('twice', 'a password of Dan')))
    expect(await one.readSeeds()).toEqual(await two.readSeeds())
    expect(await one.readSeeds()).toHaveLength(1)
  })
})

describe('an account from before scrypt', () => {
  test.each(['app', 'script'] as const)('is taken over by a sign-in of the %s', async (by) => {
    const [name, password] = [`earlier-${by}`, 'an older password']
    const { body } = await rest('/api/auth/register', {
      username: name,
      email: `${name}@example.org`,
      password,
    })
    await makeEarlier(body.user._id, password)
    const known = await rest('/api/auth/password-derivation', { username: name })
    const unknown = await rest('/api/auth/password-derivation', { username: `no-${name}` })
    expect(known.body.earlier).toEqual({
      salt: expect.stringMatching(/^.{22}$/),
      cost: unknown.body.earlier.cost,
    })
    expect(unknown.body.earlier.salt).toHaveLength(22)
    const device = openDevice()
    await expect(device.signIn(name, 'a guess')).rejects.toThrow('Wrong username or password')
    if (by === 'app') await device.signIn(name, password)
    else expect((await restSignIn(name, password)).status).toBe(200)
    expect(device.sent.join('\n')).not.toContain(password)
    // The salt that it was told before stays, and bcrypt's hash is gone.
    const after = await rest('/api/auth/password-derivation', { username: name })
    expect(after.body.salt).toBe(known.body.salt)
    const stored = await opened.app.whileStopped(async (storage) => {
      const id = `user:${body.user._id}` as const
      const found = await storage.database<AccountsDocument>('accounts').read([id])
      return (found.get(id) as AccountDocument).passwordHash
    })
    expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/)
    const phone = openDevice()
    await phone.signIn(name, password)
    expect((await phone.me()).keys?.number).toBe(1)
    expect((await restSignIn(name, password)).status).toBe(200)
    expect((await restSignIn(name, 'a guess')).status).toBe(401)
    // None is left, so from the next start on nobody is asked for bcrypt's hash.
    const last = await rest('/api/auth/password-derivation', { username: name })
    expect(last.body.earlier).toBeUndefined()
  })
})

describe('how a password is derived', () => {
  const ask = async (username: string) =>
    (await rest('/api/auth/password-derivation', { username })).body

  test('is told for every name, always the same, and looks alike', async () => {
    const [ann, nobody] = [await ask('ann'), await ask('nobody')]
    expect(Object.keys(ann)).toEqual(Object.keys(nobody))
    expect({ ...ann, salt: '' }).toEqual({ ...nobody, salt: '' })
    expect(await ask('Nobody')).toEqual(nobody)
    expect(await ask('no.one@example.org')).not.toEqual(nobody)
    await opened.app.restart()
    expect(await ask('nobody')).toEqual(nobody)
    expect(await ask('ann')).toEqual(ann)
  })

  test('stays the same when the name is registered, and when the account leaves', async () => {
    const before = await ask('newcomer')
    const device = openDevice()
    await device.register('newcomer', 'a password of Eve')
    expect(await ask('newcomer')).toEqual(before)
    await device.access.deleteAccount({ password: 'a password of Eve' })
    expect(await ask('newcomer')).toEqual(before)
  })

  test('is refused by the app when it would make the password cheap to guess', async () => {
    const { api, sessions, sent } = openDevice()
    const access = createAccountAccess({
      auth: {
        ...api.auth,
        askDerivation: async (name) => ({ ...(await api.auth.askDerivation(name)), logN: 10 }),
      },
      own: api.own,
      derive: derivePasswordSecrets,
      readUser: () => sessions.get()?.user,
    })
    await expect(access.signIn({ username: 'ann', password: 'a password' })).rejects.toThrow(
      'weaker protection of your password',
    )
    expect(sent.filter((each) => each.includes('/login'))).toEqual([])
  })
})

describe('changing the password', () => {
  test('keeps the keys: the new password opens them, the old one opens nothing', async () => {
    const device = openDevice()
    await device.register('fay', 'the first password')
    const typed = { currentPassword: 'the first password', newPassword: 'the second password' }
    await expect(
      device.access.changePassword({ ...typed, currentPassword: 'a guess' }),
    ).rejects.toThrow('The current password is wrong.')
    await device.access.changePassword(typed)
    const phone = openDevice()
    await expect(phone.signIn('fay', 'the first password')).rejects.toThrow(
      'Wrong username or password',
    )
    await phone.signIn('fay', 'the second password')
    expect(await phone.readSeeds()).toEqual(await device.readSeeds())
    for (const password of ['the first password', 'the second password']) {
      expect([...device.sent, ...phone.sent].join('\n')).not.toContain(password)
    }
  })

  test('by a script without the newly wrapped key is refused in words', async () => {
    const { token } = (await restSignIn('fay', 'the second password')).body
    const change = { currentPassword: 'the second password', newPassword: 'the third password' }
    const refused = await rest('/api/users/me/password', change, token, 'PUT')
    expect([refused.status, refused.body.code]).toEqual([409, 'keys_need_wrap'])
    expect(refused.body.error).toContain('Change it in the app')
    expect((await restSignIn('fay', 'the second password')).status).toBe(200)
  })

  test('to the same one ends the other sign-ins all the same', async () => {
    const device = openDevice()
    await device.register('gus', 'the same password')
    const { token } = (await restSignIn('gus', 'the same password')).body
    const typed = { currentPassword: 'the same password', newPassword: 'the same password' }
    await device.access.changePassword(typed)
    expect((await opened.app.call('GET', '/api/users/me', { token })).status).toBe(401)
    expect((await device.me()).username).toBe('gus')
  })

  test('email and deletion ask for the password, and tell it to nobody', async () => {
    const device = openDevice()
    const password = 'a password of Hal'
    await device.register('hal', password)
    const email = 'hal@ship.example'
    await expect(device.access.changeEmail({ email, password: 'a guess' })).rejects.toThrow(
      'The current password is wrong.',
    )
    await device.access.changeEmail({ email, password })
    expect((await device.me()).email).toBe(email)
    await expect(device.access.deleteAccount({ password: 'a guess' })).rejects.toThrow(
      'The current password is wrong.',
    )
    await device.access.deleteAccount({ password })
    expect(device.sent.join('\n')).not.toContain(password)
    await expect(openDevice().signIn('hal', password)).rejects.toThrow('Wrong username')
  })
})

describe('the recovery key', () => {
  test('opens the keys after a reset, and the present password does from then on', async () => {
    const laptop = openDevice()
    await laptop.register('ida', 'a forgotten password')
    const recoveryKey = await laptop.readRecoveryKey()
    expect(recoveryKey).toHaveLength(64)
    const id = must(laptop.sessions.get(), 'a sign-in').user._id
    const link = await opened.app.whileStopped((storage) =>
      createPasswordResets({ database: storage.database<AccountsDocument>('accounts') }).create(id),
    )
    const token = must(link, 'a link').token
    const phone = openDevice()
    const password = 'a password chosen by a link'
    await expect(phone.access.resetPassword({ token, password: 'tiny' })).rejects.toThrow(
      'at least',
    )
    expect(await phone.access.resetPassword({ token, password })).toEqual({ username: 'ida' })
    await expect(phone.access.resetPassword({ token, password })).rejects.toThrow('link')
    await phone.signIn('ida', password)
    expect(phone.sent.join()).not.toContain(password)
    expect(await phone.readSeeds()).toEqual([])
    await expect(phone.access.unlockByPassword({ password })).rejects.toThrow('it was reset')
    await expect(
      phone.access.unlockByRecoveryKey({ recoveryKey: recoveryKey.slice(4), password }),
    ).rejects.toThrow('52 letters')
    await phone.access.unlockByRecoveryKey({
      recoveryKey: recoveryKey.toLowerCase().replaceAll(' ', ''),
      password,
    })
    expect(await phone.readSeeds()).toEqual(await laptop.readSeeds())
    const third = openDevice()
    await third.signIn('ida', password)
    expect(await third.readSeeds()).toEqual(await laptop.readSeeds())
  })

  test('is made again with the password, and the earlier one opens nothing', async () => {
    const device = openDevice()
    const password = 'a password of Jon'
    await device.register('jon', password)
    const first = await device.readRecoveryKey()
    await device.access.confirmRecoveryKey()
    expect(await device.readRecoveryKey()).toBe('')
    await expect(device.access.makeRecoveryKey({ password: 'a guess' })).rejects.toThrow(
      'The current password is wrong.',
    )
    const second = await device.access.makeRecoveryKey({ password })
    expect(await device.readRecoveryKey()).toBe(second)
    const unlock = (recoveryKey: string) =>
      device.access.unlockByRecoveryKey({ recoveryKey, password })
    await expect(unlock(first)).rejects.toThrow("isn't the newest recovery key")
    await unlock(second)
  })

  test('leaves a device that still shows it when another device has made a newer one or new keys', async () => {
    const password = 'a password of Nia'
    const laptop = openDevice()
    await laptop.register('nia', password)
    expect(await laptop.access.checkRecoveryKey()).toBe(true)
    const phone = openDevice()
    await phone.signIn('nia', password)
    const second = await phone.access.makeRecoveryKey({ password })
    expect(await laptop.access.checkRecoveryKey()).toBe(false)
    expect(await laptop.readRecoveryKey()).toBe('')
    expect(await phone.access.checkRecoveryKey()).toBe(true)
    await laptop.access.beginNewKeys({ password })
    // What cannot be asked leaves the key where it is.
    phone.state.isBroken = (path) => path.endsWith('/users/me/keys')
    await expect(phone.access.confirmRecoveryKey()).rejects.toThrow()
    expect(await phone.readRecoveryKey()).toBe(second)
    phone.state.isBroken = () => false
    expect(await phone.access.confirmRecoveryKey()).toBe(false)
    expect(await phone.readRecoveryKey()).toBe('')
    expect(await laptop.access.confirmRecoveryKey()).toBe(true)
  })

  test('new keys take the place of those that nothing opens, with the password alone', async () => {
    const device = openDevice()
    const password = 'a password of Kim'
    await device.register('kim', password)
    await expect(device.access.beginNewKeys({ password: 'a guess' })).rejects.toThrow(
      'The current password is wrong.',
    )
    await device.access.beginNewKeys({ password })
    expect((await device.me()).keys?.number).toBe(2)
    expect(await device.readSeeds()).toHaveLength(2)
    const phone = openDevice()
    await phone.signIn('kim', password)
    const [, newest] = await device.readSeeds()
    expect(await phone.readSeeds()).toEqual([newest])
  })
})

describe('a stolen sign-in', () => {
  test('replaces neither keys nor what opens them', async () => {
    const device = openDevice()
    await device.register('lea', 'a password of Lea')
    const { token } = must(device.sessions.get(), 'a sign-in')
    const wrap = { v: 1, number: 1, box: 'A'.repeat(80) }
    for (const body of [{ wrappedSeed: wrap }, { recoverySeed: wrap, password: 'a guess' }]) {
      const answer = await rest('/api/users/me/keys/wraps', body, token, 'PUT')
      expect([400, 403]).toContain(answer.status)
    }
    const before = (await opened.app.call('GET', '/api/users/me/keys', { token })).body
    const other = openDevice()
    await other.register('mia', 'a password of Mia')
    const keys = must((await other.me()).keys, 'keys')
    const foreign = { keys: { ...keys, number: 2 }, wrappedSeed: { ...wrap, number: 2 } }
    const unsigned = await rest('/api/users/me/keys', foreign, token, 'PUT')
    expect([unsigned.status, unsigned.body.code]).toEqual([400, 'keys_unsigned'])
    expect((await opened.app.call('GET', '/api/users/me/keys', { token })).body).toEqual(before)
  })
})

test('where the operator turned encryption off, no keys are made or taken', async () => {
  const app = await startTestApp({ END_TO_END: 'off' }, { passwordCost: 15 })
  const before = opened.app
  try {
    opened.app = app
    const device = openDevice()
    await device.register('ann', 'a password of Ann')
    expect(await device.me()).toMatchObject({ encryption: 'off' })
    expect((await device.me()).keys).toBeUndefined()
    expect(await device.readNote('opener')).toBeUndefined()
    await device.access.finishKeys()
    expect(await device.readSeeds()).toEqual([])
  } finally {
    opened.app = before
    await app.close()
  }
})

vi.setConfig({ testTimeout: 240_000 })
