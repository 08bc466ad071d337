import type { PublicUser } from '../../../schema/user.ts'

/** Somebody as this device last heard of them. */
export interface KnownPerson extends PublicUser {
  /** The account is gone; what was said stays, under the name for that. */
  isDeleted?: true
}
