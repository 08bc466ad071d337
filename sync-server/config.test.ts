import { describe, expect, it } from 'vitest'
import { readSettings } from './config.ts'

const secret = 'a secret that is long enough for all'

describe('settings', () => {
  it('have defaults that need nothing set', () => {
    expect(readSettings({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      directory: 'open',
      hasGroups: true,
      durability: 'sync',
      uploadLimitBytes: 25 * 1024 * 1024,
      isRateLimited: true,
      messagesPerMinute: 6_000,
      storageQuotaBytes: 2_048 * 1024 * 1024,
      logLevel: 'info',
      tls: undefined,
    })
  })

  it('take an empty value as absent', () => {
    expect(readSettings({ PORT: '', PUBLIC_URL: ' ' })).toMatchObject({ port: 3000 })
  })

  it('leave messages unlimited with RATE_LIMIT=off, unless a rate is set', () => {
    expect(readSettings({ RATE_LIMIT: 'off' }).messagesPerMinute).toBe(0)
    expect(readSettings({ RATE_LIMIT: 'off', MESSAGE_RATE: '60' }).messagesPerMinute).toBe(60)
    expect(readSettings({ MESSAGE_RATE: '0' }).messagesPerMinute).toBe(0)
  })

  it.each([
    [{ PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535.'],
    [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535.'],
    [{ PUBLIC_URL: 'ftp://a' }, 'PUBLIC_URL must be a URL that begins with http:// or https://.'],
    [{ REDIS_URL: 'here' }, 'REDIS_URL must be a URL that begins with redis:// or rediss://.'],
    [
      { METRICS_TOKEN: 'short' },
      'METRICS_TOKEN must have at least 16 characters, or it can be guessed.',
    ],
    [{ DIRECTORY: 'closed' }, 'DIRECTORY must be "open" or "contacts".'],
    [{ DURABILITY: 'none' }, 'DURABILITY must be "sync" or "relaxed".'],
    [{ RATE_LIMIT: 'no' }, 'RATE_LIMIT must be "on" or "off".'],
    [{ MESSAGE_RATE: 'many' }, 'MESSAGE_RATE must be a whole number from 0 to 1000000.'],
    [{ MESSAGE_RATE: '-1' }, 'MESSAGE_RATE must be a whole number from 0 to 1000000.'],
    [{ STORAGE_QUOTA_MB: '2GB' }, 'STORAGE_QUOTA_MB must be a whole number from 0 to 100000000.'],
    [{ SUPPORT_EMAIL: 'us' }, /^SUPPORT_EMAIL must be an email address/],
    [{ SMTP_URL: 'https://mail' }, /^SMTP_URL must be a URL that begins with smtp:/],
    [{ SMTP_URL: 'smtp://mail' }, /^MAIL_FROM must be set/],
    [{ SMTP_URL: 'smtp://mail', MAIL_FROM: 'a@b.org' }, /^PUBLIC_URL must be set/],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of fatal/],
    [{ JWT_SECRET: 'short' }, /^JWT_SECRET must have at least 32 characters/],
    [{ COUCHDB_URL: 'http://couch:5984' }, /^JWT_SECRET must be set when COUCHDB_URL is/],
    [
      { COUCHDB_URL: 'http://couch:5984', JWT_SECRET: secret, GROUPS: 'on' },
      /^GROUPS cannot be on when COUCHDB_URL is set/,
    ],
    [{ GROUPS: 'yes' }, 'GROUPS must be "on" or "off".'],
    [{ TLS_CERT: '/nowhere' }, /^TLS_KEY must be set too/],
    [{ TLS_CERT: 'package.json', TLS_KEY: 'package.json' }, /^TLS_CERT and TLS_KEY must hold/],
    [{ TLS_CERT: '/nowhere', TLS_KEY: '/nowhere' }, /^TLS_CERT must be the path of a file/],
  ])('%o stops the start and says why', (env, words) => {
    expect(() => readSettings(env)).toThrow(words)
  })

  it('name what the business channel misses, beside all else', () => {
    expect(readSettings({}).whatsApp).toBe(undefined)
    const read = () => readSettings({ PORT: 'x', WHATSAPP_ENABLED: 'true' })
    expect(read).toThrow(/PORT .*\nWHATSAPP_ACCESS_TOKEN must be set when WHATSAPP_ENABLED is true/)
  })

  it('name every wrong setting at once, and never the value', () => {
    const read = () =>
      readSettings({ PORT: 'x', COUCHDB_URL: 'ann:hunter2@couch', JWT_SECRET: secret })
    expect(read).toThrow(/PORT .*\nCOUCHDB_URL /)
    expect(read).not.toThrow(/hunter2/)
  })

  it('accept a shared CouchDB with a secret', () => {
    const settings = readSettings({ COUCHDB_URL: 'http://couch:5984', JWT_SECRET: secret })
    expect(settings).toMatchObject({ couchdbUrl: 'http://couch:5984', jwtSecret: secret })
  })
})
