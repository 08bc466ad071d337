import type { PublicUser } from '../../../schema/user.ts'

/** A person's record as this device last received it. */
export interface KnownPerson extends PublicUser {
  /** The account is deleted; its messages stay, under the name for deleted accounts. */
  isDeleted?: true
}
