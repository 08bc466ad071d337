import type { JsonValue } from '../lib/json-value.ts'
import type {
  PushDocument,
  PushEndpointDocument,
  PushKeysDocument,
} from './push-subscription-documents.ts'

/** A person. Times are epoch ms. What is set here and not in `OwnUser` never leaves the server. */
export interface AccountDocument {
  _id: `user:${string}`
  userId: string
  username: string
  email: string
  passwordHash: string
  /**
   * How often the password changed; absent for never. A sign-in is valid only for its own count.
   */
  passwordChanges?: number
  /** Former names that nobody else has registered since, latest first. */
  formerNames?: string[]
  status: string
  profilePicture: string | null
  createdAt: number
  settings: Record<string, JsonValue>
  /** When each was set; absent in accounts from before that was kept. */
  settingsAt?: Record<string, number>
  wa_id?: string
  phone_number?: string
  phone_number_id?: string
  whatsapp_name?: string
  profile?: Record<string, JsonValue>
  /** When somebody else got a claim that this account had made but did not use. */
  claimsLostAt?: number
}

/** A deleted account. Its id is never reused; its name is free. */
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
  | LooksDocument
  | SessionDocument
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
