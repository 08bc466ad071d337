import * as z from 'zod/mini'
import { limits } from '../limits.ts'
import { email, ownUser, username } from '../user.ts'

const { minLength, maxBytes } = limits.password

/** A new password. bcrypt reads only 72 bytes: it would silently cut a longer one. */
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

/** `keepSignedIn: false` ends the sign-in after 12 hours instead of 30 days. */
export const registration = z.object(
  { username, email, password: newPassword, keepSignedIn },
  'Username, email and password are required',
)
export type Registration = z.infer<typeof registration>

/** `username` is the username, the email, or the phone number in any formatting. */
export const login = z.object(
  {
    username: z
      .string('Username is required')
      .check(z.minLength(1, 'Username is required'), z.maxLength(320, 'Username is too long')),
    password: givenPassword,
    keepSignedIn,
  },
  'Username and password are required',
)
export type Login = z.infer<typeof login>

export const passwordChange = z.object(
  { currentPassword: givenPassword, newPassword },
  'The current and the new password are required',
)
export type PasswordChange = z.infer<typeof passwordChange>

export const emailChange = z.object(
  { email, password: givenPassword },
  'The new email and the password are required',
)
export type EmailChange = z.infer<typeof emailChange>

export const signedIn = z.object({ token: z.string(), user: ownUser })
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
