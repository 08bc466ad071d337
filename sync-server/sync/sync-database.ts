import type { Outcome, Proposal } from '../messages/proposals/proposal.ts'
import type { ChangesPage, Document } from '../storage/documents/documents.ts'
import type { StoredDatabase } from '../storage/stored-database.ts'

/** What an answer reads: a database, or a view of one, whose pages may be short before the end. */
type ReadDatabase = Omit<StoredDatabase<Document>, 'changes'> & {
  changes(
    asked: Parameters<StoredDatabase<Document>['changes']>[0],
  ): Promise<ChangesPage<Document> & { isAtEnd?: boolean }>
}

/** A caller's own database: named by the path, owned by the token's person (P8). */
export interface SyncDatabase {
  /** As in the path: `messages` or `conversations`. */
  name: string
  stored: ReadDatabase
  /** The epoch of its sequence numbers. */
  epoch(): string
  /** Its reader is ahead of it, and knows this epoch or, like other programs, none. */
  recordAhead(knownEpoch: string | undefined): Promise<void>
  /** Reads a page in the caller's turn (P12). A view takes its turns itself: a call of it may read many. */
  turn<Result>(read: () => Promise<Result>): Promise<Result>
  accept(proposals: readonly Proposal[]): Promise<Outcome<Document>[]>
}
