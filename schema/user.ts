import * as z from 'zod/mini'
import { publicKeys } from './encryption/account-keys.ts'
import { normalizeText } from './helpers/text.ts'
import { id } from './id.ts'
import { defaultAbout, limits } from './limits.ts'
import { settingTimes } from './settings.ts'

/** The name shown for a deleted account. */
export const deletedUserName = 'Deleted user'

const isoTime = z.iso.datetime()

/** A picture hosted elsewhere would reveal to that host who looks at it. */
const picturePattern = /^\/api\/[\w./-]*$/

/**
 * Invisible characters by which two names could differ: Unicode's ignorables, and letters that draw
 * nothing.
 */
const invisible = /[\p{Default_Ignorable_Code_Point}\u{13441}\u{13442}\u{16FE4}]/u

/**
 * A letter of any script with its marks, a digit, or a sign; single spaces between. Marks never
 * pile up.
 */
const usernamePattern = /^(?:(?:\p{L}[\p{Mn}\p{Mc}]{0,6}|\p{N}|[_.-]) ?)+$/u
const profileNamePattern = /^(?:(?:\p{L}[\p{Mn}\p{Mc}]{0,6}|\p{N}|[_.'-]) ?)+$/u

/** Normalizes a name, so that two that look alike are equal: composed, trimmed. */
function tidyName(text: string): string {
  return normalizeText(text, 'NFKC').trim().replace(/\s+/gu, ' ')
}

/** A name of digits only could be somebody's phone number, and sign-in would take it for one. */
function looksLikePhoneNumber(name: string): boolean {
  return /^[\d.\-_ ]+$/.test(name) && name.replace(/\D/g, '').length >= limits.phoneDigits.min
}

/** The name used to register. */
export const username = nameOf({
  what: 'Username',
  notText: 'Username is required',
  maxLength: limits.username.maxLength,
  pattern: usernamePattern,
  signs: 'the signs _ . -',
})

/** The display name edited in the profile: longer, and with apostrophes. */
export const profileName = nameOf({
  what: 'Name',
  notText: 'Name must be text',
  maxLength: limits.nameMaxLength,
  pattern: profileNamePattern,
  signs: "the signs _ . - '",
})

export const email = z.pipe(
  z.pipe(
    z.string('Email is required'),
    z.transform((text: string) => text.trim()),
  ),
  z
    .string()
    .check(
      z.minLength(1, { error: 'Email is required', abort: true }),
      z.maxLength(limits.emailMaxLength, 'Email is too long'),
      z.regex(
        /^[^\s@<>()[\]\\,;:"]+@[^\s@.]+(\.[^\s@.]+)+$/u,
        'Please enter a valid email address',
      ),
    ),
)

/** Digits only, as stored: strips any formatting. */
export const phoneNumber = z.pipe(
  z.pipe(
    z.string('Phone number is required'),
    z.transform((text: string) => text.replace(/\D/g, '')),
  ),
  z
    .string()
    .check(
      z.regex(
        new RegExp(`^\\d{${limits.phoneDigits.min},${limits.phoneDigits.max}}$`),
        'Invalid phone number format. Please use international format (e.g., +1234567890)',
      ),
    ),
)

export const linkNeeds = 'WhatsApp ID and phone number are required'

/** The provider's id of a business number; only spaces means none. */
export const phoneNumberId = shortText('Phone number ID')
export const whatsAppName = shortText('Display name')

/** What is known about a WhatsApp account beyond its numbers. */
export const whatsAppProfile = z.record(
  z.string(),
  z.json(),
  'The WhatsApp profile must be an object',
)

const about = z
  .string('About must be text')
  .check(
    z.maxLength(limits.aboutMaxLength, `About must be at most ${limits.aboutMaxLength} characters`),
  )

/** Text that is empty means none, as null does. */
const chosenPicture = z.nullable(
  z.pipe(
    z.string('The picture must be an address').check(
      z.maxLength(200, 'The picture is too large'),
      z.refine((path) => path === '' || picturePattern.test(path), {
        error: 'The picture must be one that was uploaded here',
      }),
    ),
    z.transform((path: string) => (path === '' ? null : path)),
  ),
)

/** What a person may change in their own record with PUT /users/profile; null removes a field. */
export const profileChange = z
  .object(
    {
      username: z.optional(profileName),
      email: z.optional(email),
      status: z.optional(about),
      profilePicture: z.optional(chosenPicture),
      wa_id: z.optional(z.nullable(phoneNumber)),
      phone_number: z.optional(z.nullable(phoneNumber)),
      phone_number_id: z.optional(z.nullable(phoneNumberId)),
      whatsapp_name: z.optional(z.nullable(whatsAppName)),
    },
    'Profile data is required',
  )
  .check(
    z.refine(({ wa_id, phone_number }) => !wa_id || Boolean(phone_number), {
      error: linkNeeds,
    }),
  )
export type ProfileChange = z.infer<typeof profileChange>

/** A person's settings object: the app defines its content, the server its size. */
export const userSettings = z.record(z.string(), z.json(), 'Settings object is required').check(
  z.refine((settings) => JSON.stringify(settings).length <= limits.settingsMaxLength, {
    error: 'Settings are too large',
  }),
)

/**
 * A person as others see them. Times are ISO strings; `lastSeen` is null when never seen or hidden.
 */
export const publicUser = z.object({
  _id: id,
  username: z.string(),
  status: z.string(),
  profilePicture: z.nullable(z.string()),
  isOnline: z.boolean(),
  lastSeen: z.nullable(isoTime),
  createdAt: isoTime,
  wa_id: z.optional(z.string()),
  phone_number: z.optional(z.string()),
  /** Has the person proved to have `phone_number`? Otherwise they only say so. */
  isPhoneProved: z.optional(z.boolean()),
  phone_number_id: z.optional(z.string()),
  whatsapp_name: z.optional(z.string()),
  whatsapp_connected: z.boolean(),
  profile: z.optional(whatsAppProfile),
  /** The viewer's WhatsApp customer, who has no account here. */
  isWhatsAppContact: z.optional(z.boolean()),
  /** Absent until the person signs in with an app that makes them. */
  keys: z.optional(publicKeys),
  /** Those before `keys`, newest first: devices that come later open with them what is older. */
  formerKeys: z.optional(z.array(publicKeys)),
})
export type PublicUser = z.infer<typeof publicUser>

/** A person's own record: everything, with the email and the settings. */
export const ownUser = z.extend(publicUser, {
  email: z.string(),
  settings: z.record(z.string(), z.json()),
  /** When each of the settings was set, epoch ms. */
  settingsAt: z.optional(settingTimes),
  /** Earlier names that still sign this person in, because no one else has registered them. */
  formerNames: z.optional(z.array(z.string())),
  /** Where people of this server can ask for help. */
  supportEmail: z.optional(z.string()),
  /** The server's business channel: `sandbox` reaches an emulator only. */
  whatsapp_channel: z.optional(z.enum(['live', 'sandbox', 'off'])),
  /** Does this server take sealed messages? */
  encryption: z.optional(z.enum(['on', 'off'])),
  /** Can people make groups on this server? */
  groups: z.optional(z.enum(['on', 'off'])),
  /** May this person administer the server? */
  isAdmin: z.optional(z.boolean()),
})
export type OwnUser = z.infer<typeof ownUser>

/** Defaults for fields that an older app version did not store in a person's own record. */
const blankUser: Omit<OwnUser, '_id'> = {
  username: '',
  status: '',
  profilePicture: null,
  isOnline: false,
  lastSeen: null,
  createdAt: new Date(0).toISOString(),
  whatsapp_connected: false,
  email: '',
  settings: {},
}

/**
 * A person's own record as another app version may have stored it: unreadable fields stay blank
 * until the server answers, so no update signs anyone out. Undefined without an id.
 */
export function readKeptUser(stored: unknown): OwnUser | undefined {
  const kept = z.safeParse(z.looseObject({ _id: id }), stored)
  if (!kept.success) return undefined
  const fields = Object.entries(ownUser.shape).flatMap(([name, shape]) => {
    const field = z.safeParse<z.ZodMiniType>(shape, kept.data[name])
    return field.success && field.data !== undefined ? [[name, field.data]] : []
  })
  return ownUser.parse({ ...blankUser, ...Object.fromEntries(fields) })
}

function shortText(what: string) {
  return z.string(`${what} must be text`).check(z.trim(), z.maxLength(100, `${what} is too long`))
}

/** Counts lengths in code points, so that a letter beyond the first 65,536 counts as one. */
function nameOf(kind: {
  what: string
  notText: string
  maxLength: number
  pattern: RegExp
  signs: string
}) {
  const { what, notText, maxLength, pattern, signs } = kind
  const { minLength } = limits.username
  return z.pipe(
    z.pipe(
      z.string(notText).check(
        z.refine((text) => !invisible.test(text), {
          error: `${what} has a character that cannot be seen. Please type it without it.`,
          abort: true,
        }),
      ),
      z.transform(tidyName),
    ),
    z.string().check(
      z.minLength(1, { error: `${what} is required`, abort: true }),
      z.refine(
        (name) => [...name].length >= minLength,
        `${what} must be at least ${minLength} characters`,
      ),
      z.refine((name) => [...name].length <= maxLength, {
        error: `${what} must be at most ${maxLength} characters`,
        abort: true,
      }),
      z.regex(pattern, `${what} may only have letters, digits, single spaces and ${signs}`),
      z.refine((name) => /[\p{L}\p{N}]/u.test(name), `${what} needs a letter or a digit`),
      z.refine((name) => !looksLikePhoneNumber(name), `${what} must not be a phone number`),
    ),
  )
}

/** A deleted account, as others still see it on its messages. */
export function describeDeletedUser(userId: string): PublicUser {
  return {
    _id: userId,
    username: deletedUserName,
    status: '',
    profilePicture: null,
    isOnline: false,
    lastSeen: null,
    createdAt: new Date(Math.min(readIdTime(userId), Date.now())).toISOString(),
    whatsapp_connected: false,
  }
}

/** The About that the person wrote; empty where they wrote none. */
export function readAbout({ status }: Pick<PublicUser, 'status'>): string {
  return status === defaultAbout ? '' : status
}

/** A person's id is a UUIDv7: its first 48 bits are its creation time, epoch ms. */
function readIdTime(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}
