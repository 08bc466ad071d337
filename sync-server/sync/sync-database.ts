import type { Outcome, Proposal } from '../messages/proposal.ts'
import type { StoredDatabase } from '../storage/create-stored-database.ts'
import type { Document } from '../storage/documents.ts'

/** A caller's own database as the endpoints see it: chosen by the path, found by the token (P8). */
export interface SyncDatabase {
  /** As in the path: `messages` or `conversations`. */
  name: string
  stored: StoredDatabase<Document>
  /** Reads a page when its caller's turn has come (P12). */
  turn<Result>(read: () => Promise<Result>): Promise<Result>
  accept(proposals: readonly Proposal[]): Promise<Outcome<Document>[]>
}
