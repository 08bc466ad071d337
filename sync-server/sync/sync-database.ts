import type { Outcome, Proposal } from '../messages/proposals/proposal.ts'
import type { Document } from '../storage/documents/documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'

/** A caller's own database as the endpoints see it: chosen by the path, found by the token (P8). */
export interface SyncDatabase {
  /** As in the path: `messages` or `conversations`. */
  name: string
  stored: StoredDatabase<Document>
  /** In which epoch its sequence numbers count. */
  epoch(): string
  /** Its reader stands ahead of it, and knows this epoch or, as other programs, none. */
  recordAhead(knownEpoch: string | undefined): Promise<void>
  /** Reads a page when its caller's turn has come (P12). */
  turn<Result>(read: () => Promise<Result>): Promise<Result>
  accept(proposals: readonly Proposal[]): Promise<Outcome<Document>[]>
}
