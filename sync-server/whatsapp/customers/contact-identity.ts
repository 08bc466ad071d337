import { listPhoneVariants } from '../../access/phone-variants.ts'

/** Who somebody is to WhatsApp. Any of it may be missing: a person can hide their number. */
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
 * The names under which a contact is looked for: `exact` ones are theirs, `variants` are how the same number is written
 * elsewhere in Brazil, Mexico and Argentina.
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
 * Chooses the contact that somebody is. An exact alias wins; a variant only counts where exactly one contact has one.
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
