import { limits } from '../../schema/limits.ts'
import {
  type AccountDocument,
  type AccountsDocument,
  type ClaimDocument,
  isAccount,
  nameAccount,
} from './account-documents.ts'

export type ClaimedField = 'username' | 'email' | 'phone' | 'whatsapp'
type ClaimId = ClaimDocument['_id']

/** Until then a claim without its account belongs to a registration that is under way on another server. */
const claimSettledMs = 10_000

/** The id of the document that makes a value unique. Case and formatting make no difference. */
export function nameClaim(field: ClaimedField, value: string): ClaimId {
  const isNumber = field === 'phone' || field === 'whatsapp'
  const key = isNumber ? value.replace(/\D/g, '') : value.normalize('NFKC').toLowerCase()
  return `claim:${field}:${encodeURIComponent(key.trim())}`
}

/** Which field a claim is about. */
function readClaimedField(id: ClaimId): ClaimedField {
  return id.split(':')[1] as ClaimedField
}

/** The claims that an account lives by. */
export function listClaims(account: AccountDocument): ClaimId[] {
  const { username, email, phone_number, wa_id } = account
  return [
    nameClaim('username', username),
    nameClaim('email', email),
    ...(phone_number ? [nameClaim('phone', phone_number)] : []),
    ...(wa_id ? [nameClaim('whatsapp', wa_id)] : []),
  ]
}

/** The claims that a person may mean who signs in by this text, the likelier first. */
export function listSignInClaims(text: string): ClaimId[] {
  const digits = text.replace(/\D/g, '')
  const name = nameClaim(text.includes('@') ? 'email' : 'username', text)
  return digits.length < limits.phoneDigits.min ? [name] : [name, nameClaim('phone', digits)]
}

export type ClaimsVerdict =
  | { kind: 'granted'; put: AccountsDocument[] }
  | { kind: 'taken'; field: ClaimedField; put: AccountsDocument[] }
  /** A claim has an owner whose account was not among the documents: read it and ask again. */
  | { kind: 'ownersNeeded'; ownerIds: string[] }

/**
 * Decides whether an account may have the claims it needs, and what is written for it.
 * A claim whose owner does not live by it is left over from a crash, and is taken over; the owner's document
 * is touched then, so that an owner who was only slow meets a conflict instead of sharing the name.
 * @param stored every claim in `wanted` that is there, the accounts of their owners, and the person's own
 */
export function decideClaims(asked: {
  userId: string
  wanted: readonly ClaimId[]
  stored: ReadonlyMap<string, AccountsDocument>
  readIds: ReadonlySet<string>
  now: number
}): ClaimsVerdict {
  const { userId, wanted, stored, readIds, now } = asked
  const own = stored.get(nameAccount(userId))
  const held = isAccount(own) ? listClaims(own) : []
  const put: AccountsDocument[] = []
  const ownersNeeded: string[] = []
  for (const id of wanted) {
    const claim = stored.get(id) as ClaimDocument | undefined
    if (claim?.userId === userId) continue
    if (claim) {
      const ownerKey = nameAccount(claim.userId)
      const owner = stored.get(ownerKey)
      if (!readIds.has(ownerKey)) {
        ownersNeeded.push(claim.userId)
        continue
      }
      const isLivedBy = isAccount(owner) && listClaims(owner).includes(id)
      if (isLivedBy || now - claim.claimedAt < claimSettledMs) {
        return { kind: 'taken', field: readClaimedField(id), put: giveBack(asked, held) }
      }
      put.push(touch(owner, claim.userId, now))
    }
    put.push({ _id: id, userId, claimedAt: now })
  }
  return ownersNeeded.length > 0
    ? { kind: 'ownersNeeded', ownerIds: ownersNeeded }
    : { kind: 'granted', put }
}

/** Claims that an earlier round of the same change took before another one was found taken. */
function giveBack(
  asked: {
    userId: string
    wanted: readonly ClaimId[]
    stored: ReadonlyMap<string, AccountsDocument>
  },
  held: readonly ClaimId[],
): AccountsDocument[] {
  return asked.wanted.flatMap((id) => {
    const claim = asked.stored.get(id) as ClaimDocument | undefined
    const isOurs = claim?.userId === asked.userId && !held.includes(id)
    return isOurs ? [releaseClaim(id, asked.userId)] : []
  })
}

/** The document that frees a name. */
export function releaseClaim(id: ClaimId, userId: string): ClaimDocument {
  return { _id: id, userId, claimedAt: 0, _deleted: true }
}

function touch(
  owner: AccountsDocument | undefined,
  ownerId: string,
  now: number,
): AccountsDocument {
  if (isAccount(owner)) return { ...owner, claimsLostAt: now } as AccountDocument
  return { _id: nameAccount(ownerId), userId: ownerId, departedAt: now }
}
