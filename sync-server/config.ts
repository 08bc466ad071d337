import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod/mini'
import {
  readWhatsAppSettings,
  type WhatsAppSettings,
  whatsAppSettingNames,
} from './whatsapp/client/whatsapp-settings.ts'

/** A setting that stops the start. `message`: one line for the operator for each wrong setting. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

/** No person writes this many by hand; programs may. */
const defaultMessageRate = 6_000

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const environment = z.object({
  PORT: z._default(wholeNumber({ from: 0, to: 65_535 }), 3_000),
  HOST: z._default(z.string(), '127.0.0.1'),
  DATA_DIR: z._default(z.string(), './data'),
  PUBLIC_URL: z.optional(url(['http:', 'https:'])),
  JWT_SECRET: z.optional(
    z.string().check(z.minLength(32, 'must have at least 32 characters, or tokens can be guessed')),
  ),
  VAPID_PUBLIC_KEY: z.optional(base64Url(87)),
  VAPID_PRIVATE_KEY: z.optional(base64Url(43)),
  COUCHDB_URL: z.optional(url(['http:', 'https:'])),
  REDIS_URL: z.optional(url(['redis:', 'rediss:'])),
  DIRECTORY: oneOf(['open', 'contacts']),
  DURABILITY: oneOf(['sync', 'relaxed']),
  UPLOAD_LIMIT_MB: z._default(wholeNumber({ from: 1, to: 2_048 }), 25),
  RATE_LIMIT: oneOf(['on', 'off']),
  MESSAGE_RATE: z.optional(wholeNumber({ from: 0, to: 1_000_000 })),
  STORAGE_QUOTA_MB: z._default(wholeNumber({ from: 0, to: 100_000_000 }), 2_048),
  METRICS_TOKEN: z.optional(
    z.string().check(z.minLength(16, 'must have at least 16 characters, or it can be guessed')),
  ),
  SUPPORT_EMAIL: z.optional(
    z.string().check(z.email('must be an email address, such as help@example.org')),
  ),
  TRUST_PROXY: z._default(wholeNumber({ from: 0, to: 16 }), 0),
  LOG_LEVEL: z._default(
    z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }),
    'info',
  ),
  TLS_CERT: z.optional(z.string()),
  TLS_KEY: z.optional(z.string()),
  RESTORED: z.optional(
    z.string().check(z.maxLength(100, 'must be a short name, such as the date of the restore')),
  ),
})

/** The names of all settings. */
export const settingNames: readonly string[] = [
  ...Object.keys(environment.shape),
  ...whatsAppSettingNames,
]

/** The operator's settings. Sizes are in bytes; `trustProxy` is the number of proxies in front. */
export type Settings = {
  port: number
  host: string
  dataDir: string
  publicUrl: string | undefined
  jwtSecret: string | undefined
  /** The pair that signs pushes; undefined for the one made at the first start. */
  pushKeys: { publicKey: string; privateKey: string } | undefined
  /** How a push service reaches the operator. */
  pushSubject: string
  couchdbUrl: string | undefined
  redisUrl: string | undefined
  directory: 'open' | 'contacts'
  durability: 'sync' | 'relaxed'
  uploadLimitBytes: number
  isRateLimited: boolean
  /** New messages a person may send in a minute; 0 for any number. */
  messagesPerMinute: number
  /** How much one person may store; 0 for any amount. */
  storageQuotaBytes: number
  /** The bearer token for `/metrics`; without it only this machine may read them. */
  metricsToken: string | undefined
  /** Where people can ask for help; the app shows it. */
  supportEmail: string | undefined
  trustProxy: number
  logLevel: (typeof logLevels)[number]
  tls: { cert: Buffer; key: Buffer } | undefined
  /** The name of the last restore of a backup. */
  restored: string | undefined
  /** Undefined while the business channel is off. */
  whatsApp: WhatsAppSettings | undefined
}

/**
 * Reads every setting from the environment; an empty value counts as absent.
 * @throws SettingsError with one sentence for each wrong setting: which, and why.
 */
export function readSettings(env: Record<string, string | undefined> = process.env): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
  const parsed = environment.safeParse(given)
  const channel = readWhatsAppSettings(given)
  const channelFaults = 'faults' in channel ? channel.faults : []
  if (!parsed.success || 'faults' in channel) {
    const faults = parsed.error?.issues.map(describe) ?? []
    throw new SettingsError([...faults, ...channelFaults].join('\n'))
  }
  const set = parsed.data
  if (set.COUCHDB_URL && !set.JWT_SECRET) {
    throw new SettingsError(
      'JWT_SECRET must be set when COUCHDB_URL is: all servers on one CouchDB have to share it.',
    )
  }
  return {
    port: set.PORT,
    host: set.HOST,
    dataDir: resolve(set.DATA_DIR),
    publicUrl: set.PUBLIC_URL && new URL(set.PUBLIC_URL).origin,
    jwtSecret: set.JWT_SECRET,
    pushKeys: readPushKeys(set.VAPID_PUBLIC_KEY, set.VAPID_PRIVATE_KEY),
    pushSubject: nameOperator({ email: set.SUPPORT_EMAIL, publicUrl: set.PUBLIC_URL }),
    couchdbUrl: set.COUCHDB_URL,
    redisUrl: set.REDIS_URL,
    directory: set.DIRECTORY,
    durability: set.DURABILITY,
    uploadLimitBytes: set.UPLOAD_LIMIT_MB * 1024 * 1024,
    isRateLimited: set.RATE_LIMIT === 'on',
    messagesPerMinute: set.MESSAGE_RATE ?? (set.RATE_LIMIT === 'on' ? defaultMessageRate : 0),
    storageQuotaBytes: set.STORAGE_QUOTA_MB * 1024 * 1024,
    metricsToken: set.METRICS_TOKEN,
    supportEmail: set.SUPPORT_EMAIL,
    trustProxy: set.TRUST_PROXY,
    logLevel: set.LOG_LEVEL,
    tls: readTls(set.TLS_CERT, set.TLS_KEY),
    restored: set.RESTORED?.trim(),
    whatsApp: channel.settings,
  }
}

function wholeNumber({ from, to }: { from: number; to: number }) {
  const words = `must be a whole number from ${from} to ${to}`
  return z.pipe(
    z.pipe(z.string().check(z.regex(/^\d{1,9}$/, words)), z.transform(Number)),
    z.number().check(z.gte(from, words), z.lte(to, words)),
  )
}

/** The first choice is the default. */
function oneOf<const T extends readonly [string, ...string[]]>(choices: T) {
  const choice: z.ZodMiniType<T[number], string> = z.enum(choices, {
    error: `must be ${choices.map((word) => `"${word}"`).join(' or ')}`,
  })
  return z._default(choice, choices[0] as z.core.util.NoUndefined<T[number]>)
}

function base64Url(characters: number) {
  return z
    .string()
    .check(
      z.regex(
        new RegExp(`^[A-Za-z0-9_-]{${characters}}$`),
        `must have ${characters} characters of base64url`,
      ),
    )
}

function readPushKeys(publicKey: string | undefined, privateKey: string | undefined) {
  if (publicKey && privateKey) return { publicKey, privateKey }
  if (!publicKey && !privateKey) return undefined
  const missing = publicKey ? 'VAPID_PRIVATE_KEY' : 'VAPID_PUBLIC_KEY'
  throw new SettingsError(`${missing} must be set too: the two keys are a pair.`)
}

/** Push services want an address of whoever runs the server; some refuse made-up ones. */
function nameOperator(options: {
  email: string | undefined
  publicUrl: string | undefined
}): string {
  const { email, publicUrl } = options
  if (email) return `mailto:${email}`
  if (publicUrl?.startsWith('https:')) return new URL(publicUrl).origin
  return 'mailto:postmaster@localhost'
}

function url(protocols: string[]) {
  const words = `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`
  return z
    .string()
    .check(
      z.refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), words),
    )
}

/** Omits the value itself: it may be a secret, or a URL that carries one. */
function describe(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('.')} ${issue.message}.`
}

function readTls(cert: string | undefined, key: string | undefined): Settings['tls'] {
  if (!cert && !key) return undefined
  if (!cert || !key) {
    throw new SettingsError(
      `${cert ? 'TLS_KEY' : 'TLS_CERT'} must be set too: HTTPS needs the certificate and its key.`,
    )
  }
  return { cert: readSecretFile('TLS_CERT', cert), key: readSecretFile('TLS_KEY', key) }
}

function readSecretFile(name: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new SettingsError(`${name} must be the path of a file that can be read.`, { cause })
  }
}
