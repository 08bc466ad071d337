import * as z from 'zod/mini'
import { publishedKeys, wrappedSeed } from '../encryption/account-keys.ts'
import { passwordSecret } from '../encryption/password-derivation.ts'
import { limits } from '../limits.ts'
import { email, ownUser, username } from '../user.ts'
import { handedKeys } from './device-link.ts'

const { minLength, maxBytes } = limits.password

/** A new password. bcrypt, which some accounts still have, reads only 72 bytes. */
const newPassword = z.string('Password is required').check(
  z.minLength(1, { error: 'Password is required', abort: true }),
  z.minLength(minLength, `Password must be at least ${minLength} characters`),
  z.refine((text) => new TextEncoder().encode(text).length <= maxBytes, {
    error: `Password must be at most ${maxBytes} bytes long`,
  }),
)

/** A password to check; long enough for any real one, short enough to cost nothing. */
const givenPassword = z
  .string('Password is required')
  .check(z.minLength(1, 'Password is required'), z.maxLength(1_024, 'Password is too long'))

const keepSignedIn = z.optional(z.boolean('keepSignedIn must be true or false'))

/** The code of an invitation, where the server asks for one. */
const invitation = z.optional(z.string().check(z.maxLength(200)))

/** The app shows the secret that it derives; scripts may show the password itself. */
const shown = { password: z.optional(givenPassword), secret: z.optional(passwordSecret) }

/** The one or the other. */
interface Shown {
  password?: string | undefined
  secret?: object | undefined
}

function hasEither({ password, secret }: Shown): boolean {
  return (password === undefined) !== (secret === undefined)
}

function needsEither<T extends Shown>(error = 'Password is required') {
  return z.refine<T>(hasEither, { error })
}

/** `keepSignedIn: false` ends the sign-in after 12 hours instead of 30 days. */
export const registration = z
  .object(
    {
      username,
      email,
      password: z.optional(newPassword),
      secret: z.optional(passwordSecret),
      keepSignedIn,
      invitation,
    },
    'Username, email and password are required',
  )
  .check(needsEither())
export type Registration = z.infer<typeof registration>

/** `username` is the username, the email, or the phone number in any formatting. */
export const login = z
  .object(
    {
      username: z
        .string('Username is required')
        .check(z.minLength(1, 'Username is required'), z.maxLength(320, 'Username is too long')),
      ...shown,
      keepSignedIn,
    },
    'Username and password are required',
  )
  .check(needsEither())
export type Login = z.infer<typeof login>

/** What a person types to change their password. */
export const typedPasswordChange = z.object(
  { currentPassword: givenPassword, newPassword },
  'The current and the new password are required',
)
export type TypedPasswordChange = z.infer<typeof typedPasswordChange>

/** `wrappedSeed`: the account's, for the new password; needed once the account has keys. */
export const passwordChange = z
  .object(
    {
      currentPassword: z.optional(givenPassword),
      newPassword: z.optional(newPassword),
      currentSecret: z.optional(passwordSecret),
      newSecret: z.optional(passwordSecret),
      wrappedSeed: z.optional(wrappedSeed),
    },
    'The current and the new password are required',
  )
  .check(
    z.refine(
      (given) =>
        hasEither({ password: given.currentPassword, secret: given.currentSecret }) &&
        hasEither({ password: given.newPassword, secret: given.newSecret }),
      { error: 'The current and the new password are required' },
    ),
  )
export type PasswordChange = z.infer<typeof passwordChange>

export const emailChange = z
  .object({ email, ...shown }, 'The new email and the password are required')
  .check(needsEither())
export type EmailChange = z.infer<typeof emailChange>

const deletionNeedsPassword = 'Deleting your account needs your password.'

export const accountDeletion = z
  .object(
    {
      password: z.optional(
        z
          .string(deletionNeedsPassword)
          .check(z.minLength(1, deletionNeedsPassword), z.maxLength(1_024, 'Password is too long')),
      ),
      secret: z.optional(passwordSecret),
    },
    deletionNeedsPassword,
  )
  .check(needsEither(deletionNeedsPassword))
export type AccountDeletion = z.infer<typeof accountDeletion>

const resetToken = z.string().check(z.maxLength(200))

/** What a person types behind a link for a new password. */
export const typedPasswordReset = z.object({ token: resetToken, password: newPassword })
export type TypedPasswordReset = z.infer<typeof typedPasswordReset>

/** `token`: what stands behind the # of the link. */
export const passwordReset = z
  .object({
    token: resetToken,
    password: z.optional(newPassword),
    secret: z.optional(passwordSecret),
  })
  .check(needsEither())
export type PasswordReset = z.infer<typeof passwordReset>

/** Whose password it is now. */
export const passwordWasReset = z.object({ username: z.string() })
export type PasswordWasReset = z.infer<typeof passwordWasReset>

export const forgottenPassword = z.object({
  email: z
    .string()
    .check(z.trim(), z.maxLength(limits.emailMaxLength), z.email('Enter your email address')),
})
/** The same whether an account has the address or not. */
export const forgottenPasswordNoted = z.object({ isNoted: z.literal(true) })

/** What a server says of itself to anybody. `registration`: who may create an account. */
export const serverDescription = z.object({
  version: z.string(),
  registration: z.enum(['open', 'invite', 'closed']),
  /** Who makes the invitations, where an account needs one. */
  invitesBy: z.optional(z.enum(['admins', 'everybody'])),
  /** Can it mail a link for a forgotten password? */
  hasMail: z.optional(z.boolean()),
  /** Does it take sealed messages? Then screens may say that they are encrypted. */
  encryption: z.optional(z.enum(['on', 'off'])),
})
export type ServerDescription = z.infer<typeof serverDescription>

/** Admits one person. `code` is told once; `endsAt` is an ISO time. */
export const madeInvitation = z.object({ code: z.string(), endsAt: z.iso.datetime() })
export type MadeInvitation = z.infer<typeof madeInvitation>

/** The account's seed, as the server keeps it: for the password, and for the recovery key. */
export const keptSeeds = z.object({
  wrappedSeed: z.optional(wrappedSeed),
  recoverySeed: z.optional(wrappedSeed),
})
export type KeptSeeds = z.infer<typeof keptSeeds>

/** New keys; the first ones of an account need no password beside the sign-in. */
export const newKeys = z
  .object(
    { keys: publishedKeys, wrappedSeed, recoverySeed: z.optional(wrappedSeed), ...shown },
    'The keys and the wrapped seed are required',
  )
  .check(
    z.refine(
      ({ keys, wrappedSeed, recoverySeed = wrappedSeed }) =>
        keys.number === wrappedSeed.number && keys.number === recoverySeed.number,
      'The wrapped seed belongs to other keys.',
    ),
  )
export type NewKeys = z.infer<typeof newKeys>

/** Wraps the seed once more, for the password, for the recovery key, or for both. */
export const newWraps = z
  .object({ ...keptSeeds.shape, ...shown }, 'A wrapped seed and the password are required')
  .check(
    needsEither(),
    z.refine(
      ({ wrappedSeed, recoverySeed }) => Boolean(wrappedSeed ?? recoverySeed),
      'A wrapped seed is required',
    ),
  )
export type NewWraps = z.infer<typeof newWraps>

/** `wrappedSeed`: what the password opens, of an account that has keys. */
export const signedIn = z.object({
  token: z.string(),
  user: ownUser,
  wrappedSeed: z.optional(wrappedSeed),
  /** From the device that confirmed this one by its code. */
  handedKeys: z.optional(handedKeys),
})
export type SignedIn = z.infer<typeof signedIn>

/** One sign-in of a person. `device` is the browser's name; times are ISO strings. */
export const session = z.object({
  _id: z.string(),
  device: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  isCurrent: z.boolean(),
})
export type Session = z.infer<typeof session>
