import * as z from 'zod/mini'

/**
 * The operator's settings of the business channel. Some are secrets: never log, return or replicate
 * them.
 */
export interface WhatsAppSettings {
  /** Without a slash at the end: Meta's, or the emulator's. */
  graphBaseUrl: string
  apiVersion: string
  accessToken: string
  phoneNumberId: string
  /** Digits; if absent, read from the number itself. */
  displayPhoneNumber: string | undefined
  businessAccountId: string
  appSecret: string
  appId: string | undefined
  verifyToken: string
  isProofSent: boolean
  /** Host suffixes that files may be fetched from, beside the host of `graphBaseUrl`. */
  mediaHosts: readonly string[]
  isWindowEnforced: boolean
  linkCheck: 'strict' | 'lenient' | 'off'
  inboxUserId: string | undefined
  /** The accounts that may use the channel; undefined for any. */
  operatorIds: readonly string[] | undefined
  isTypingSent: boolean
  sendTimeoutMs: number
  messagesPerSecond: number
  eventRetentionDays: number
}

const metaGraphUrl = 'https://graph.facebook.com'

const flag = (otherwise: 'true' | 'false') =>
  z._default(z.enum(['true', 'false'], { error: 'must be "true" or "false"' }), otherwise)

const wholeNumber = ({ from, to }: { from: number; to: number }) => {
  const words = `must be a whole number from ${from} to ${to}`
  return z.pipe(
    z.pipe(z.string().check(z.regex(/^\d{1,9}$/, words)), z.transform(Number)),
    z.number().check(z.gte(from, words), z.lte(to, words)),
  )
}

const metaId = z.string().check(z.regex(/^\d{5,25}$/, 'must be an id of digits, as Meta shows it'))
const oneWord = z.string().check(z.regex(/^\S+$/, 'must not have blanks or line breaks in it'))

const environment = z.object({
  WHATSAPP_ENABLED: flag('false'),
  WHATSAPP_GRAPH_BASE_URL: z._default(
    z.string().check(z.refine(isSafeBase, 'must begin with https://, or be on this machine')),
    metaGraphUrl,
  ),
  WHATSAPP_API_VERSION: z._default(
    z.string().check(z.regex(/^v\d+\.\d+$/, 'must be a version such as v25.0')),
    'v25.0',
  ),
  WHATSAPP_ACCESS_TOKEN: z.optional(oneWord),
  WHATSAPP_PHONE_NUMBER_ID: z.optional(metaId),
  WHATSAPP_DISPLAY_PHONE_NUMBER: z.optional(
    z.string().check(z.regex(/^\d{7,15}$/, 'must be 7 to 15 digits with the country code')),
  ),
  WHATSAPP_BUSINESS_ACCOUNT_ID: z.optional(metaId),
  WHATSAPP_APP_SECRET: z.optional(oneWord),
  WHATSAPP_APP_ID: z.optional(metaId),
  WHATSAPP_VERIFY_TOKEN: z.optional(
    oneWord.check(z.minLength(8, 'must have at least 8 characters, or it can be guessed')),
  ),
  WHATSAPP_APPSECRET_PROOF: flag('false'),
  WHATSAPP_MEDIA_HOSTS: z._default(
    z
      .string()
      .check(
        z.regex(
          /^\s*\.?[a-z0-9-]+(\.[a-z0-9-]+)+(\s*,\s*\.?[a-z0-9-]+(\.[a-z0-9-]+)+)*\s*$/i,
          'must be host names, parted by commas, such as .fbsbx.com,.fbcdn.net',
        ),
      ),
    '.fbsbx.com,.fbcdn.net',
  ),
  WHATSAPP_ENFORCE_WINDOW: flag('true'),
  WHATSAPP_VERIFY_LINK: z._default(
    z.enum(['strict', 'lenient', 'off'], { error: 'must be "strict" or "lenient" or "off"' }),
    'strict',
  ),
  WHATSAPP_INBOX_USER_ID: z.optional(oneWord),
  WHATSAPP_OPERATORS: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^\s*[0-9a-f-]{36}(\s*,\s*[0-9a-f-]{36})*\s*$/,
          'must be ids of accounts, parted by commas',
        ),
      ),
  ),
  WHATSAPP_TYPING: flag('false'),
  WHATSAPP_SEND_TIMEOUT_MS: z._default(wholeNumber({ from: 500, to: 14_000 }), 8_000),
  WHATSAPP_MAX_MPS: z._default(wholeNumber({ from: 1, to: 1_000 }), 70),
  WHATSAPP_EVENT_RETENTION_DAYS: z._default(wholeNumber({ from: 1, to: 3_650 }), 30),
})

/** The names of all settings of the channel. */
export const whatsAppSettingNames: readonly string[] = Object.keys(environment.shape)

/** The settings required once the channel is on, and their purpose. */
const needed = {
  WHATSAPP_ACCESS_TOKEN: 'messages are sent with it',
  WHATSAPP_PHONE_NUMBER_ID: 'messages are sent from this number',
  WHATSAPP_BUSINESS_ACCOUNT_ID: 'templates are read from this account',
  WHATSAPP_APP_SECRET: 'without it nobody can tell what really comes from WhatsApp',
  WHATSAPP_VERIFY_TOKEN: 'Meta shows it when it asks for the address of the webhooks',
} as const

/**
 * Reads the channel's settings; empty values count as absent. A wrong value is a fault even while
 * the channel is off.
 * @returns the settings, `undefined` while the channel is off, or one sentence for each fault,
 * never with the value
 */
export function readWhatsAppSettings(
  env: Record<string, string | undefined>,
): { settings: WhatsAppSettings | undefined } | { faults: string[] } {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
  const parsed = environment.safeParse(given)
  if (!parsed.success) {
    return {
      faults: parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`),
    }
  }
  const set = parsed.data
  if (set.WHATSAPP_ENABLED === 'false') return { settings: undefined }
  const {
    WHATSAPP_ACCESS_TOKEN: accessToken,
    WHATSAPP_PHONE_NUMBER_ID: phoneNumberId,
    WHATSAPP_BUSINESS_ACCOUNT_ID: businessAccountId,
    WHATSAPP_APP_SECRET: appSecret,
    WHATSAPP_VERIFY_TOKEN: verifyToken,
  } = set
  if (!accessToken || !phoneNumberId || !businessAccountId || !appSecret || !verifyToken) {
    const missing = Object.entries(needed).filter(([name]) => !set[name as keyof typeof needed])
    const say = ([name, why]: [string, string]) =>
      `${name} must be set when WHATSAPP_ENABLED is true: ${why}.`
    return { faults: missing.map(say) }
  }
  const settings: WhatsAppSettings = {
    graphBaseUrl: set.WHATSAPP_GRAPH_BASE_URL.replace(/\/+$/, ''),
    apiVersion: set.WHATSAPP_API_VERSION,
    accessToken,
    phoneNumberId,
    businessAccountId,
    appSecret,
    verifyToken,
    displayPhoneNumber: set.WHATSAPP_DISPLAY_PHONE_NUMBER,
    appId: set.WHATSAPP_APP_ID,
    isProofSent: set.WHATSAPP_APPSECRET_PROOF === 'true',
    mediaHosts: set.WHATSAPP_MEDIA_HOSTS.split(',').map((host) => host.trim().toLowerCase()),
    isWindowEnforced: set.WHATSAPP_ENFORCE_WINDOW === 'true',
    linkCheck: set.WHATSAPP_VERIFY_LINK,
    inboxUserId: set.WHATSAPP_INBOX_USER_ID,
    operatorIds: set.WHATSAPP_OPERATORS?.split(',').map((userId) => userId.trim()),
    isTypingSent: set.WHATSAPP_TYPING === 'true',
    sendTimeoutMs: set.WHATSAPP_SEND_TIMEOUT_MS,
    messagesPerSecond: set.WHATSAPP_MAX_MPS,
    eventRetentionDays: set.WHATSAPP_EVENT_RETENTION_DAYS,
  }
  return { settings }
}

/** Each call carries the token: unencrypted, it may only go to this machine. */
function isSafeBase(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, search, hash, pathname } = new URL(text)
  if (username || search || hash || pathname.length > 1) return false
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isHere)
}
