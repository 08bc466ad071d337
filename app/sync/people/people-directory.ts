import type { PublicUser } from '../../../schema/user.ts'
import type { KnownPerson } from '../../database/storage/known-peer.ts'
import type { LiveValue } from '../../database/views/live-value.ts'

/** The people as screens read them. */
export interface PeopleDirectory {
  /** The known people; requests unknown ones from the server. */
  get(userId: string): LiveValue<KnownPerson | undefined>
  /** Without deleted accounts. */
  list(): LiveValue<readonly PublicUser[]>
  /** Reads the list from the server, unless it was read just now; on failure the list stays. */
  refreshIfOld(): void
  /** Why the last request for people failed, in the server's words. */
  problem: LiveValue<string | undefined>
  /** Reads the record from the server. Rejects with words for a person. */
  load(userId: string): Promise<PublicUser>
  /**
   * Reads the record of a known person who is about to be shown, unless it was read within the last
   * minute; on failure the record stays.
   */
  loadIfOld(userId: string): void
  /** Asks the server; `list` has the people this device knows. Rejects with words for a person. */
  search(query: string): Promise<readonly PublicUser[]>
}
