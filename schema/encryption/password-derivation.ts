import * as z from 'zod/mini'

/** 16 bytes in base64url. */
const salt = z.string().check(z.regex(/^[\w-]{21}[AQgw]$/, 'This is not a salt.'))

/** 16 bytes as bcrypt writes them. */
const earlierSalt = z.string().check(z.regex(/^[./A-Za-z0-9]{21}[.Oeu]$/, 'This is not a salt.'))

/**
 * What a password costs: scrypt (RFC 7914) with N = 2^`logN`, and its `r` and `p`. 32 MiB, three
 * times; an app takes no less, or a server could ask for secrets that are cheap to guess.
 */
export const passwordCost = { logN: 15, r: 8, p: 3 } as const

/** What an app takes at most: a server must not be able to fill a device's memory. */
export const passwordCostMax = { logN: 18, r: 8, p: 8 } as const

/** What the accounts of the first servers cost: bcrypt with this many rounds, as a power of two. */
export const earlierPasswordCost = 10

/** From scrypt's 32 bytes by HKDF with SHA-256: one secret signs in, the other wraps the seed. */
export const passwordPurposes = {
  signIn: 'petrel password v1 sign-in',
  wrap: 'petrel password v1 wrap',
} as const

/** Asks the same for the owner of a link that sets a new password: what stands behind its #. */
export const resetDerivationQuery = z.object({ token: z.string().check(z.maxLength(200)) })

/** Asks how a person's password becomes secrets. `username` as at sign-in. */
export const derivationQuery = z.object(
  {
    username: z
      .string('Username is required')
      .check(z.minLength(1, 'Username is required'), z.maxLength(320, 'Username is too long')),
  },
  'Username is required',
)

/**
 * How a name's password becomes secrets, whether or not anybody has that name.
 * `earlier`: this server still has accounts whose password is known by bcrypt alone.
 */
export const passwordDerivation = z.object({
  v: z.int(),
  salt,
  logN: z.int(),
  r: z.int(),
  p: z.int(),
  earlier: z.optional(z.object({ salt: earlierSalt, cost: z.int() })),
})
export type PasswordDerivation = z.infer<typeof passwordDerivation>

/**
 * Stands in a password's place. `salt`: what it was derived with. `earlier`: bcrypt's 31
 * characters, for accounts that are known by these alone.
 */
export const passwordSecret = z.object(
  {
    v: z.literal(1),
    salt,
    secret: z.string().check(z.regex(/^[\w-]{43}$/, 'This is not a secret.')),
    earlier: z.optional(
      z.string().check(z.regex(/^[./A-Za-z0-9]{31}$/, 'This is not a bcrypt hash.')),
    ),
  },
  'The secret of the password is required',
)
export type PasswordSecret = z.infer<typeof passwordSecret>
