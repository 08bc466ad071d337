import type { LostSpan } from '../../../schema/message.ts'
import type { Reach } from '../../access/relations.ts'
import type { ProposalGroup } from '../proposals/proposal-group.ts'

/** One person's proposals about their messages with one other person, written together. */
export interface Delivery {
  actorId: string
  /** Undefined for proposals that name nobody: they concern nobody else. */
  peerId: string | undefined
  reach: Reach
  /** Has the actor no room for anything new? */
  isActorFull: boolean
  /** Does the peer not take a first message from the actor? */
  isFirstRefused: boolean
  groups: readonly ProposalGroup[]
  /** By message id: may this new message share its file? */
  sharedFiles: ReadonlyMap<string, boolean>
  /** Both conversations are known to have begun. */
  hasBegun: boolean
  /** The other person's database is unavailable: refuse what was for them. */
  isPeerOut: boolean
  /** Storage writes all or nothing; otherwise a hint precedes a change of two copies. */
  isAtomic: boolean
  /** Messages whose peer copies may have been written before the own ones changed underneath. */
  touched: ReadonlySet<string>
  /** Journal entries that matter by a first read: those of existing peer copies. */
  entriesAsked: ReadonlySet<string>
  /** What the server lost in a restore. */
  lost: readonly LostSpan[]
  now: number
}

/**
 * The stages of a write, in order: a crash can follow each. Atomic storage has only the last two.
 */
export type Stage = 'ordered' | 'peer' | 'own' | 'finished'
