import type { PublicKeys, WrappedSeed } from '../../schema/encryption/account-keys.ts'
import type { JsonValue } from '../lib/json-value.ts'
import type {
  PushDocument,
  PushEndpointDocument,
  PushKeysDocument,
} from './push-subscription-documents.ts'

/** A deleted account tries to act: refused, like anybody signed out. */
export class PersonGone extends Error {
  override name = 'PersonGone'
  readonly status = 401

  constructor() {
    super('Please sign in again.')
  }
}

/** A person. Times are epoch ms. What is set here and not in `OwnUser` never leaves the server. */
export interface AccountDocument {
  _id: `user:${string}`
  userId: string
  username: string
  email: string
  /** As `readStoredPassword` reads it. */
  passwordHash: string
  /**
   * How often the password changed; absent for never. A sign-in is valid only for its own count.
   */
  passwordChanges?: number
  /** Former names that nobody else has registered since, latest first. */
  formerNames?: string[]
  /** Absent until an app made them. */
  keys?: PublicKeys
  /** Those before, newest first. */
  formerKeys?: PublicKeys[]
  /** The seed of `keys`, for who has the password; always written with the two. */
  wrappedSeed?: WrappedSeed
  /** The same for who has the recovery key. */
  recoverySeed?: WrappedSeed
  status: string
  profilePicture: string | null
  createdAt: number
  settings: Record<string, JsonValue>
  /** When each was set; absent in accounts from before that was kept. */
  settingsAt?: Record<string, number>
  wa_id?: string
  phone_number?: string
  /** When the person proved to have `phone_number`; absent while they only say so (decision 64). */
  phoneProvedAt?: number
  phone_number_id?: string
  whatsapp_name?: string
  profile?: Record<string, JsonValue>
  /** Since when nobody may sign in to it. */
  disabledAt?: number
  /** What its files and messages may take, where that differs from everybody's; 0 for any amount. */
  quotaBytes?: number
  /** When somebody else got a claim that this account had made but did not use. */
  claimsLostAt?: number
}

/** A deleted account. Its id is never reused; its name is held for a while, and free then. */
interface DepartedDocument {
  _id: `user:${string}`
  userId: string
  departedAt: number
}

/** A deletion in progress. Kept until nothing can bring the person's data back. */
export interface AccountDeletionDocument {
  _id: `leaving:${string}`
  userId: string
  leavingSince: number
  _deleted?: true
}

/**
 * Keeps the name of a deleted account from everybody but who has its email, until a time. Names
 * nobody: neither the person nor the email can be read from it.
 */
export interface HeldNameDocument {
  _id: `held:${string}`
  until: number
  salt: string
  /** A hash. */
  email: string
  _deleted?: true
}

/** Makes a name, an email or a phone number unique: one document for each. */
export interface ClaimDocument {
  _id: `claim:${string}`
  userId: string
  claimedAt: number
  /**
   * Since when the owner has another name: they may still sign in by this, and anybody may register
   * it.
   */
  formerSince?: number
  _deleted?: true
}

/** Marks that every account has its look-alike claims, as `version` computes them. */
export interface LooksDocument {
  _id: 'looks'
  version: number
}

/** Marks that no account's password is known by bcrypt alone any more. */
export interface PasswordsDocument {
  _id: 'passwords'
  areRenewed: true
}

/** Everything stored about a person, as pieces of one JSON text. */
export type PersonExport = (account: AccountDocument, signal: AbortSignal) => AsyncGenerator<string>

/** One sign-in, on one device. */
export interface SessionDocument {
  _id: `session:${string}`
  userId: string
  sessionId: string
  device: string
  /** The account's `passwordChanges` when the password was checked. */
  passwordChanges?: number
  createdAt: number
  lastUsedAt: number
  expiresAt: number
  _deleted?: true
}

/** A link that sets a new password. Void once `passwordChanges` is no longer the account's. */
export interface ResetDocument {
  _id: `reset:${string}`
  userId: string
  expiresAt: number
  passwordChanges: number
  _deleted?: true
}

/** When somebody was last online. Separate from the account because every disconnect writes it. */
export interface SeenDocument {
  _id: `seen:${string}`
  lastSeen: number
  _deleted?: true
}

/**
 * `userId` blocks `otherId`. A second document under the other's id makes it findable from there.
 */
export interface BlockDocument {
  _id: `block:${string}` | `blocked-by:${string}`
  userId: string
  otherId: string
  blockedAt: number
  _deleted?: true
}

/** Everything that lies in the `accounts` database. */
export type AccountsDocument =
  | AccountDocument
  | DepartedDocument
  | AccountDeletionDocument
  | ClaimDocument
  | HeldNameDocument
  | LooksDocument
  | PasswordsDocument
  | SessionDocument
  | ResetDocument
  | SeenDocument
  | BlockDocument
  | PushKeysDocument
  | PushDocument
  | PushEndpointDocument

export const accountKey = (userId: string) => `user:${userId}` as const
export const accountDeletionKey = (userId: string) => `leaving:${userId}` as const
export const sessionKey = ({ userId, sessionId }: { userId: string; sessionId: string }) =>
  `session:${userId}:${sessionId}` as const
export const seenKey = (userId: string) => `seen:${userId}` as const

/** Is this an account that has not been deleted? */
export function isAccount<T extends AccountsDocument>(
  document: T | undefined,
): document is T & AccountDocument {
  return document !== undefined && 'passwordHash' in document
}

/**
 * Other numbers that may belong to the same person, for finding an existing account: WhatsApp has
 * some of Brazil, Mexico and Argentina with a mobile digit less or more than people write.
 * @param digits a whole number with its country code
 */
export function listPhoneVariants(digits: string): string[] {
  const [, brazilArea, brazilSubscriber] = /^55(\d{2})([6-9]\d{7})$/.exec(digits) ?? []
  if (brazilArea && brazilSubscriber) return [`55${brazilArea}9${brazilSubscriber}`]
  const [, longArea, longSubscriber] = /^55(\d{2})9([6-9]\d{7})$/.exec(digits) ?? []
  if (longArea && longSubscriber) return [`55${longArea}${longSubscriber}`]

  if (/^521\d{10}$/.test(digits)) return [`52${digits.slice(3)}`]
  if (/^52\d{10}$/.test(digits)) return [`521${digits.slice(2)}`]

  // The reverse could be another subscriber: a landline has no 9.
  if (/^549\d{10}$/.test(digits)) return [`54${digits.slice(3)}`]
  return []
}
