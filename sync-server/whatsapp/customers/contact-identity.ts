import { listPhoneVariants } from '../../access/account-documents.ts'

/** WhatsApp's identifiers of a person. Any may be missing: a person can hide their number. */
export interface ContactIdentity {
  /** Digits. */
  waId: string | null
  /** The person's id within this business. */
  userId: string | null
  parentUserId: string | null
  username: string | null
  name: string | null
}

/**
 * The aliases of a contact: `exact` ones are theirs, `variants` are other spellings of the number
 * in Brazil, Mexico and Argentina.
 */
export function listAliases(identity: Pick<ContactIdentity, 'waId' | 'userId' | 'parentUserId'>): {
  exact: string[]
  variants: string[]
} {
  const { waId, userId, parentUserId } = identity
  const exact = [userId, parentUserId, waId].filter((alias) => alias !== null)
  return { exact, variants: waId === null ? [] : listPhoneVariants(waId) }
}

/**
 * Matches a person to a contact. An exact alias wins; a variant only counts if exactly one contact
 * has one.
 * @param find the contact's id under an alias
 */
export function matchContact(
  identity: Pick<ContactIdentity, 'waId' | 'userId' | 'parentUserId'>,
  find: (alias: string) => string | undefined,
): string | undefined {
  const { exact, variants } = listAliases(identity)
  for (const alias of exact) {
    const own = find(alias)
    if (own !== undefined) return own
  }
  const found = new Set(variants.map(find).filter((one) => one !== undefined))
  const [only] = found
  return found.size === 1 ? only : undefined
}
