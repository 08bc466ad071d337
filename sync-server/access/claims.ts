import unhomoglyph from 'unhomoglyph'
import { normalizeText } from '../../schema/helpers/text.ts'
import { limits } from '../../schema/limits.ts'
import {
  type AccountDocument,
  type AccountsDocument,
  accountKey,
  type ClaimDocument,
  isAccount,
} from './account-documents.ts'

/**
 * Raise it when the look of a name may change: a newer Unicode table or a new rule. The next start
 * then recomputes every account's claims.
 */
export const looksVersion = 1

export type ClaimedField = 'username' | 'lookalike' | 'email' | 'phone' | 'whatsapp' | 'number'
/** A former number is a business number that somebody else has operated. */
export type TakenField = ClaimedField | 'former number'
export type ClaimId = ClaimDocument['_id']

/** Until then another server may still be registering the account of a claim that has none. */
const claimSettledMs = 10_000

/** The id of the document that makes a value unique. Case and formatting make no difference. */
export function claimKey(field: Exclude<ClaimedField, 'lookalike'>, value: string): ClaimId {
  const isNumber = field === 'phone' || field === 'whatsapp' || field === 'number'
  const key = isNumber ? value.replace(/\D/g, '') : normalizeText(value, 'NFKC').toLowerCase()
  return `claim:${field}:${encode(key.trim())}`
}

/** The ids (one or two) that keep others from a username that looks like this one. */
export function listLookalikeClaims(username: string): ClaimId[] {
  return listLooks(username).map((look) => `claim:lookalike:${encode(look)}` as const)
}

/** A lone surrogate, which anybody may send, has no URL encoding. */
function encode(key: string): string {
  return encodeURIComponent(key.replace(/\p{Surrogate}/gu, '\ufffd'))
}

/** Which field a claim is about. */
function readClaimedField(id: ClaimId): ClaimedField {
  return id.split(':')[1] as ClaimedField
}

/**
 * The claims that an account needs. An account older than look-alike claims may lack some of them.
 */
export function listClaims(account: AccountDocument): ClaimId[] {
  const { username, email, phone_number, phone_number_id, wa_id } = account
  return [
    claimKey('username', username),
    ...listLookalikeClaims(username),
    claimKey('email', email),
    ...(phone_number ? [claimKey('phone', phone_number)] : []),
    ...(wa_id ? [claimKey('whatsapp', wa_id)] : []),
    // The operator of a number receives everything sent to it: allow one person only.
    ...(phone_number_id ? [claimKey('number', phone_number_id)] : []),
  ]
}

/** The claims of an account's former names: valid for sign-in, free for anybody to register. */
export function listFormerClaims({ formerNames = [] }: AccountDocument): ClaimId[] {
  return formerNames.map((name) => claimKey('username', name))
}

/** The claims that this sign-in text may mean, the likelier first. */
export function listSignInClaims(text: string): ClaimId[] {
  const digits = text.replace(/\D/g, '')
  const name = claimKey(text.includes('@') ? 'email' : 'username', text)
  return digits.length < limits.phoneDigits.min ? [name] : [name, claimKey('phone', digits)]
}

export type ClaimsVerdict =
  | { kind: 'granted'; put: AccountsDocument[] }
  | { kind: 'taken'; field: TakenField; put: AccountsDocument[] }
  /** The owner's account of a claim was not among the documents: read it and ask again. */
  | { kind: 'ownersNeeded'; ownerIds: string[] }

/**
 * Decides whether an account may have the claims it wants, and what to write. Takes over stale
 * claims left by a crash or a rename, and touches their owner's document, so that a slow owner gets
 * a conflict instead of sharing the name.
 * @param stored every existing claim in `wanted`, the accounts of their owners, and the person's
 * own
 * @param mayTakeNumber may the person have a business number that somebody else operated?
 * @param provedPhone digits of a phone number that the person has proved: it is theirs, whoever only said so
 */
export function decideClaims(asked: {
  userId: string
  mayTakeNumber?: boolean | undefined
  provedPhone?: string | undefined
  wanted: readonly ClaimId[]
  stored: ReadonlyMap<string, AccountsDocument>
  readIds: ReadonlySet<string>
  now: number
}): ClaimsVerdict {
  const { userId, wanted, stored, readIds, now } = asked
  const own = stored.get(accountKey(userId))
  const held = isAccount(own) ? listClaims(own) : []
  const put: AccountsDocument[] = []
  const touched = new Map<string, AccountsDocument>()
  const ownersNeeded: string[] = []
  for (const id of wanted) {
    const claim = stored.get(id) as ClaimDocument | undefined
    if (claim?.userId === userId && claim.formerSince === undefined) continue
    if (claim && claim.userId !== userId) {
      const ownerKey = accountKey(claim.userId)
      if (!readIds.has(ownerKey)) {
        ownersNeeded.push(claim.userId)
        continue
      }
      const owner = touched.get(ownerKey) ?? stored.get(ownerKey)
      if (isAccount(owner) && isOnlySaid(id, owner, asked.provedPhone)) {
        touched.set(ownerKey, takePhone(owner, now))
        put.push({ _id: id, userId, claimedAt: now })
        continue
      }
      if (isLivedBy(claim, owner) || isSettling(claim, now)) {
        // Two people whose names looked alike before this rule both keep them.
        if (readClaimedField(id) === 'lookalike' && held.includes(id)) continue
        return { kind: 'taken', field: readClaimedField(id), put: giveBack(asked, own) }
      }
      if (isFormerNumber(claim) && !asked.mayTakeNumber) {
        return { kind: 'taken', field: 'former number', put: giveBack(asked, own) }
      }
      touched.set(ownerKey, touch(owner, claim, now))
    }
    put.push({ _id: id, userId, claimedAt: now })
  }
  return ownersNeeded.length > 0
    ? { kind: 'ownersNeeded', ownerIds: ownersNeeded }
    : { kind: 'granted', put: [...touched.values(), ...put] }
}

function isLivedBy({ _id }: ClaimDocument, owner: AccountsDocument | undefined): boolean {
  return isAccount(owner) && listClaims(owner).includes(_id)
}

/** A former name already belonged to an account, so no registration of it is pending. */
function isSettling({ claimedAt, formerSince }: ClaimDocument, now: number): boolean {
  return formerSince === undefined && now - claimedAt < claimSettledMs
}

/** Releases claims that an earlier round took before it found another one taken. */
function giveBack(
  asked: {
    userId: string
    wanted: readonly ClaimId[]
    stored: ReadonlyMap<string, AccountsDocument>
    now: number
  },
  own: AccountsDocument | undefined,
): AccountsDocument[] {
  const held = isAccount(own) ? [...listClaims(own), ...listFormerClaims(own)] : []
  return asked.wanted.flatMap((id) => {
    const claim = asked.stored.get(id) as ClaimDocument | undefined
    const isOurs = claim?.userId === asked.userId && !held.includes(id)
    return isOurs ? [leaveClaim(claim, asked.now)] : []
  })
}

/**
 * The document with which a person gives up a claim. Names and phone numbers are free then; a
 * business number is not: its customers write to it as before, and must reach nobody who only knows
 * its id (decision 63).
 */
export function leaveClaim(claim: ClaimDocument, now: number): ClaimDocument {
  const { _id, userId } = claim
  return readClaimedField(_id) === 'number'
    ? { ...claim, formerSince: claim.formerSince ?? now }
    : { _id, userId, claimedAt: 0, _deleted: true }
}

/** Does another account have this number unproved, which the person has proved? */
function isOnlySaid(id: ClaimId, owner: AccountDocument, provedPhone: string | undefined): boolean {
  if (provedPhone === undefined || owner.phoneProvedAt !== undefined) return false
  // Whoever operates a business number was checked, as far as this server checks.
  if (owner.phone_number_id !== undefined) return false
  return [claimKey('phone', provedPhone), claimKey('whatsapp', provedPhone)].includes(id)
}

/** The account without the number that somebody else has proved. */
function takePhone(owner: AccountDocument, now: number): AccountDocument {
  const { wa_id, phone_number, whatsapp_name, profile, ...rest } = owner
  return { ...rest, claimsLostAt: now }
}

function isFormerNumber({ _id, formerSince }: ClaimDocument): boolean {
  return readClaimedField(_id) === 'number' && formerSince !== undefined
}

function touch(
  owner: AccountsDocument | undefined,
  claim: ClaimDocument,
  now: number,
): AccountsDocument {
  const { userId } = claim
  if (!isAccount(owner)) return { _id: accountKey(userId), userId, departedAt: now }
  const { formerNames, ...rest } = owner
  const left = formerNames?.filter((name) => claimKey('username', name) !== claim._id)
  return { ...rest, claimsLostAt: now, ...(left && left.length > 0 ? { formerNames: left } : {}) }
}

/**
 * The looks of a name: one or two texts. Two names that can be confused share one. Built from the
 * name as written and in lower case, because names ignore case.
 */
export function listLooks(name: string): string[] {
  return [...new Set([draw(name), draw(name.toLowerCase())])]
}

/** Folds case after the first skeleton, because I looks like l, and L is l in lower case. */
function draw(name: string): string {
  return drawSkeleton(drawSkeleton(name).toLowerCase())
}

/** Source: UTS #39, section 4. Ignores a combining dot over i or j, which nobody can see. */
function drawSkeleton(text: string): string {
  const seen = normalizeText(text, 'NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return normalizeText(unhomoglyph(seen), 'NFD').replace(/([ij])\u0307/g, '$1')
}
