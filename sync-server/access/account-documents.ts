import type { JsonValue } from '../lib/json-value.ts'

/** A person. Times are epoch ms. What is set here and not in `OwnUser` never leaves the server. */
export interface AccountDocument {
  _id: `user:${string}`
  userId: string
  username: string
  email: string
  passwordHash: string
  /** How often the password was changed; absent for never. A sign-in is good for the password that it was made with. */
  passwordChanges?: number
  /** Names that were changed and that nobody else has registered since, the latest first. */
  formerNames?: string[]
  status: string
  profilePicture: string | null
  createdAt: number
  settings: Record<string, JsonValue>
  wa_id?: string
  phone_number?: string
  phone_number_id?: string
  whatsapp_name?: string
  profile?: Record<string, JsonValue>
  /** When a claim that this account had made but did not live by was given to somebody else. */
  claimsLostAt?: number
}

/** What stays of a person who left: the id is never given again, the name is free. */
interface DepartedDocument {
  _id: `user:${string}`
  userId: string
  departedAt: number
}

/** Somebody left, and what they had is being taken away; kept until nothing can bring it back. */
export interface AccountDeletionDocument {
  _id: `leaving:${string}`
  userId: string
  leavingSince: number
  _deleted?: true
}

/** Makes a name, an email or a phone number unique: there is one document for each, whoever asks for it. */
export interface ClaimDocument {
  _id: `claim:${string}`
  userId: string
  claimedAt: number
  /** Since when the owner has another name: this one is a way in still, and anybody's to register. */
  formerSince?: number
  _deleted?: true
}

/** That every account has the claims of what its name looks like, as `version` sees it. */
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

/** When somebody was last online; apart from the account, because it is written at every goodbye. */
export interface SeenDocument {
  _id: `seen:${string}`
  lastSeen: number
  _deleted?: true
}

/** `userId` does not want to hear from `otherId`. A second document under the other's id finds it from there. */
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

export const accountKey = (userId: string) => `user:${userId}` as const
export const accountDeletionKey = (userId: string) => `leaving:${userId}` as const
export const sessionKey = ({ userId, sessionId }: { userId: string; sessionId: string }) =>
  `session:${userId}:${sessionId}` as const
export const seenKey = (userId: string) => `seen:${userId}` as const

/** The range of ids that begin with `prefix`, for `range`. */
export const idsFrom = (prefix: string) => ({ startkey: prefix, endkey: `${prefix}\uffff` })

/** Is this the document of a person who is still here? */
export function isAccount<T extends AccountsDocument>(
  document: T | undefined,
): document is T & AccountDocument {
  return document !== undefined && 'passwordHash' in document
}
