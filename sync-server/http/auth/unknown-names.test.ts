import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type AccountsDocument, accountKey, isAccount } from '../../access/account-documents.ts'
import { describeCouches } from '../../storage/couch/couches.contract.ts'
import { createStorage } from '../../storage/storage.ts'
import { startLosingProxy } from '../../testing/couch/start-losing-proxy.ts'
import { quickHasher } from '../../testing/quick-hasher.ts'
import { startTestApp, type TestApp, type TestPerson } from '../../testing/start-test-app.ts'

const secret = { v: 1, salt: 'A'.repeat(22), secret: 'A'.repeat(43) }
/** Everything that takes a name of somebody who has not signed in. */
const doors: [string, (name: string) => [path: string, body: object]][] = [
  ['how a password becomes a secret', (username) => ['password-derivation', { username }]],
  ['a sign-in by a password', (username) => ['login', { username, password: 'a guess' }]],
  ['a sign-in by a secret', (username) => ['login', { username, secret }]],
]

describeCouches('what a name costs that nobody has', (couch) => {
  const opened = {} as {
    app: TestApp
    proxy: Awaited<ReturnType<typeof startLosingProxy>>
    ben: TestPerson
    names: [what: string, known: string, unknown: string][]
  }
  beforeEach(async () => {
    const proxy = await startLosingProxy(couch.url)
    onTestFinished(proxy.close)
    const JWT_SECRET = 'a secret of the test, long enough'
    const app = await startTestApp({ COUCHDB_URL: proxy.url, JWT_SECRET })
    onTestFinished(app.close)
    const suffix = crypto.randomUUID().slice(0, 8)
    const phone = `+1 202 5${Number.parseInt(suffix.slice(0, 6), 16)}`
    const ben = await app.register(`Benjamin-${suffix}`)
    const body = { phone_number: `${phone}3`, username: `Ben-${suffix}` }
    await app.call('PUT', '/api/users/profile', { token: ben.token, body })
    const names: typeof opened.names = [
      ['a name', `ben-${suffix}`, `bem-${suffix}`],
      ['a former name', `benjamin-${suffix}`, `benjamim-${suffix}`],
      ['an email', `benjamin-${suffix}@example.org`, `benjamim-${suffix}@example.org`],
      ['a phone number', `${phone}3`, `${phone}4`],
    ]
    Object.assign(opened, { app, proxy, ben, names })
  })

  /** The requests to the CouchDB, what scrypt and bcrypt worked on, and what a stranger sees. */
  async function measure([path, body]: [path: string, body: object]) {
    opened.proxy.takeRequests()
    const before = quickHasher.worked()
    const answer = await opened.app.call('POST', `/api/auth/${path}`, { body })
    const after = quickHasher.worked()
    return {
      status: answer.status,
      fields: Object.keys(answer.body),
      headers: [...answer.headers.keys()],
      length: answer.text.length,
      requests: opened.proxy.takeRequests().length,
      scrypt: after.scrypt - before.scrypt,
      bcrypt: after.bcrypt - before.bcrypt,
    }
  }

  async function expectSame(ask: (typeof doors)[number][1]) {
    // The first finds what the server looks up once.
    await measure(ask(opened.names[0]?.[1] ?? ''))
    for (const [what, known, unknown] of opened.names) {
      const compare = async () => {
        const ofKnown = await measure(ask(known))
        expect(ofKnown.requests).toBeGreaterThan(1)
        expect([what, await measure(ask(unknown))]).toEqual([what, ofKnown])
        return true
      }
      // What a server looks after at its start asks the CouchDB too, until it is done.
      await expect.poll(compare).toBe(true)
    }
  }

  it.each(doors)('is as much as of somebody: %s', (_what, ask) => expectSame(ask))

  describe('while an account from before scrypt is left', () => {
    beforeEach(async () => {
      const { app, ben } = opened
      const storage = createStorage({ dataDir: '', couchdbUrl: couch.url })
      const id = accountKey(ben.userId)
      await storage.database<AccountsDocument>('accounts').update([id, 'passwords'], (stored) => {
        const account = stored.get(id)
        const noted = stored.get('passwords')
        if (!isAccount(account)) throw new Error('Ben has no account.')
        const passwordHash = `$2b$10$${'e'.repeat(53)}`
        const none = noted ? [{ ...noted, _deleted: true } as AccountsDocument] : []
        return { put: [{ ...account, passwordHash }, ...none], result: undefined }
      })
      await storage.close()
      await app.restart()
    })

    it.each(doors)('is as much as of somebody: %s', (_what, ask) => expectSame(ask))

    it('and a password is compared by bcrypt too', async () => {
      const password = { username: 'nobody', password: 'a guess' }
      expect(await measure(['login', password])).toMatchObject({ scrypt: 1, bcrypt: 1 })
    })
  })
})
