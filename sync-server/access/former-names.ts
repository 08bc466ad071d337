import { limits } from '../../schema/limits.ts'
import type { AccountDocument } from './account-documents.ts'
import { claimKey } from './claims.ts'

/** The account that follows `before`, with the names that it no longer has as former names. */
export function keepFormerNames(
  before: AccountDocument | undefined,
  next: AccountDocument,
): AccountDocument {
  if (!before) return next
  const { formerNames = [], ...rest } = next
  const current = claimKey('username', next.username)
  const kept = [before.username, ...formerNames]
    .filter((name) => claimKey('username', name) !== current)
    .slice(0, limits.formerNamesMax)
  return kept.length > 0 ? { ...rest, formerNames: kept } : rest
}
