import { resolve } from 'node:path'
import * as z from 'zod/mini'
import { wordsOf } from '../schema/helpers/text.ts'
import { type Certificate, readCertificate } from './certificate.ts'
import { linkPreviewsForm, linkPreviewsWords } from './links/link-previews.ts'
import {
  readWhatsAppSettings,
  type WhatsAppSettings,
  whatsAppSettingNames,
} from './whatsapp/client/whatsapp-settings.ts'

/**
 * `EX_CONFIG` of sysexits.h: only an operator can fix it, and a restart would fail the same way.
 */
export const settingsExitCode = 78

/** A setting that stops the start. `message`: one line for the operator for each wrong setting. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

/** No person writes this many by hand; programs may. */
const defaultMessageRate = 6_000

/** Without a setting. */
const defaultEncryption = 'on'

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
  END_TO_END: z.optional(choiceOf(['on', 'off'])),
  DIRECTORY: oneOf(['open', 'contacts']),
  GROUPS: z.optional(choiceOf(['on', 'off'])),
  REGISTRATION: oneOf(['open', 'invite', 'closed']),
  INVITES_BY: oneOf(['admins', 'everybody']),
  DURABILITY: oneOf(['sync', 'relaxed']),
  LINK_PREVIEWS: z._default(z.string().check(z.regex(linkPreviewsForm, linkPreviewsWords)), 'on'),
  UPLOAD_LIMIT_MB: z._default(wholeNumber({ from: 1, to: 2_048 }), 25),
  RATE_LIMIT: oneOf(['on', 'off']),
  MESSAGE_RATE: z.optional(wholeNumber({ from: 0, to: 1_000_000 })),
  STORAGE_QUOTA_MB: z._default(wholeNumber({ from: 0, to: 100_000_000 }), 2_048),
  METRICS_TOKEN: z.optional(
    z.string().check(z.minLength(16, 'must have at least 16 characters, or it can be guessed')),
  ),
  SMTP_URL: z.optional(url(['smtp:', 'smtps:'])),
  MAIL_FROM: z.optional(
    z.string().check(z.email('must be an email address, such as petrel@example.org')),
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
  BACKUP_DIR: z.optional(z.string()),
  BACKUP_EVERY: z._default(
    z.pipe(
      z.string().check(z.regex(/^[1-9]\d{0,3}[mhd]$/, 'must be a time such as 30m, 24h or 7d')),
      z.transform(readSpan),
    ),
    86_400_000,
  ),
  BACKUP_KEEP: z._default(wholeNumber({ from: 1, to: 10_000 }), 7),
  BACKUP_RECIPIENT: z.optional(
    z
      .string()
      .check(z.regex(/^age1[0-9a-z]{20,}$/, 'must be an age recipient, which begins with age1')),
  ),
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
  /** Do apps make keys here, and seal what people write? */
  encryption: 'on' | 'off'
  directory: 'open' | 'contacts'
  /** Are there groups? By default where storage is atomic, as a group needs it. */
  hasGroups: boolean
  /** Who may create an account: everybody, who has an invitation, or nobody. */
  registration: 'open' | 'invite' | 'closed'
  /** Who makes the invitations. */
  invitesBy: 'admins' | 'everybody'
  durability: 'sync' | 'relaxed'
  /** `on`, `off`, or `on` with hosts inside the operator's network. */
  linkPreviews: string
  uploadLimitBytes: number
  isRateLimited: boolean
  /** New messages a person may send in a minute; 0 for any number. */
  messagesPerMinute: number
  /** How much one person may store; 0 for any amount. */
  storageQuotaBytes: number
  /** The bearer token for `/metrics`; without it only this machine may read them. */
  metricsToken: string | undefined
  /** The server that takes mails, and who they are from; undefined for none. */
  mail: { url: string; from: string } | undefined
  /** Where people can ask for help; the app shows it. */
  supportEmail: string | undefined
  trustProxy: number
  logLevel: (typeof logLevels)[number]
  tls: Certificate | undefined
  /** Where backups go by themselves, how often, and how many stay; undefined for none. */
  backups: { dir: string; everyMs: number; keep: number; recipient: string | undefined } | undefined
  /** The name of the last restore of a backup. */
  restored: string | undefined
  /** Undefined while the business channel is off. */
  whatsApp: WhatsAppSettings | undefined
}

/** What this process was started with. */
export const readEnvironment = (): Record<string, string | undefined> => ({ ...process.env })

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
  if (set.COUCHDB_URL && set.GROUPS === 'on') {
    throw new SettingsError(
      'GROUPS cannot be on when COUCHDB_URL is set: a change of a group and its line must be one write.',
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
    encryption: set.END_TO_END ?? defaultEncryption,
    directory: set.DIRECTORY,
    hasGroups: set.GROUPS ? set.GROUPS === 'on' : set.COUCHDB_URL === undefined,
    registration: set.REGISTRATION,
    invitesBy: set.INVITES_BY,
    durability: set.DURABILITY,
    linkPreviews: set.LINK_PREVIEWS,
    uploadLimitBytes: set.UPLOAD_LIMIT_MB * 1024 * 1024,
    isRateLimited: set.RATE_LIMIT === 'on',
    messagesPerMinute: set.MESSAGE_RATE ?? (set.RATE_LIMIT === 'on' ? defaultMessageRate : 0),
    storageQuotaBytes: set.STORAGE_QUOTA_MB * 1024 * 1024,
    metricsToken: set.METRICS_TOKEN,
    mail: readMail(set),
    supportEmail: set.SUPPORT_EMAIL,
    trustProxy: set.TRUST_PROXY,
    logLevel: set.LOG_LEVEL,
    tls: readTls(set.TLS_CERT, set.TLS_KEY),
    backups: set.BACKUP_DIR
      ? {
          dir: resolve(set.BACKUP_DIR),
          everyMs: set.BACKUP_EVERY,
          keep: set.BACKUP_KEEP,
          recipient: set.BACKUP_RECIPIENT,
        }
      : undefined,
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

function choiceOf<const T extends readonly [string, ...string[]]>(
  choices: T,
): z.ZodMiniType<T[number], string> {
  return z.enum(choices, { error: `must be ${choices.map((word) => `"${word}"`).join(' or ')}` })
}

/** The first choice is the default. */
function oneOf<const T extends readonly [string, ...string[]]>(choices: T) {
  return z._default(choiceOf(choices), choices[0] as z.core.util.NoUndefined<T[number]>)
}

/** The milliseconds of `30m`, `24h` or `7d`. */
function readSpan(text: string): number {
  const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
  return Number(text.slice(0, -1)) * (units[text.slice(-1)] ?? 0)
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

/** @throws SettingsError for mails that would be from nobody, or carry links that lead nowhere */
function readMail(set: {
  SMTP_URL?: string | undefined
  MAIL_FROM?: string | undefined
  SUPPORT_EMAIL?: string | undefined
  PUBLIC_URL?: string | undefined
}): Settings['mail'] {
  if (set.SMTP_URL === undefined) return undefined
  const from = set.MAIL_FROM ?? set.SUPPORT_EMAIL
  if (from === undefined)
    throw new SettingsError('MAIL_FROM must be set when SMTP_URL is: mails need a sender.')
  if (set.PUBLIC_URL === undefined)
    throw new SettingsError('PUBLIC_URL must be set when SMTP_URL is: mails carry links.')
  return { url: set.SMTP_URL, from }
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
  try {
    return readCertificate({ certPath: cert, keyPath: key })
  } catch (cause) {
    throw new SettingsError(wordsOf(cause), { cause })
  }
}
