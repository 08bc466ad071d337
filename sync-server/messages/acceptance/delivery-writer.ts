import type { MessageDocument } from '../../../schema/message.ts'
import { retryOvertaken } from '../../lib/retry-overtaken.ts'
import { nameMessagesDatabase } from '../../storage/databases/database-names.ts'
import { TransactionFailed } from '../../storage/documents/transaction.ts'
import type { Storage } from '../../storage/storage.ts'
import { type Hints, hintsDatabase } from '../copies/hints.ts'
import { type MessageFiles, shareFiles } from '../copies/message-files.ts'
import { isForPeer } from '../copies/peer-copies.ts'
import { digestsDatabase } from '../digests/digest-documents.ts'
import { type OrderJournal, ordersDatabase } from '../order/order-journal.ts'
import { type DeliveryDecision, decideDelivery } from './delivery.ts'
import { listParts } from './delivery-parts.ts'
import type { Delivery, Stage } from './delivery-types.ts'

/** What a delivery has written. */
export interface WrittenDelivery
  extends Pick<DeliveryDecision, 'decided' | 'writes' | 'blanked' | 'isBelow'> {
  delivery: Delivery
  /** The revisions of the actor's copies. */
  revs: ReadonlyMap<string, string>
}

const overtaken = {
  // Files to share, places to read and an unavailable database take some of them.
  tries: 8,
  giveUp: () => new Error('messages changed under every try to write them'),
}

/**
 * Writes deliveries, each as one transaction; without the peer's copies while that person's
 * database is unavailable.
 * @param onError called with the reason why another person's copies could not be written
 * @param onStage for tests of crashes
 */
export function createDeliveryWriter(options: {
  storage: Storage
  journal: OrderJournal
  hints: Hints
  files: MessageFiles
  onError: (error: unknown) => void
  onStage?: ((stage: Stage) => void | Promise<void>) | undefined
}) {
  const { storage, journal, hints, files, onError, onStage } = options

  return async function writeDelivery(delivery: Delivery): Promise<WrittenDelivery> {
    const { actorId, peerId } = delivery
    const touched = new Set(delivery.touched)
    const blanked = new Map<string, MessageDocument>()
    let { sharedFiles, entriesAsked } = delivery
    let peerFailures = 0
    return await retryOvertaken(async () => {
      // After a dropped connection to the other person's database the second try succeeds.
      const isPeerOut = peerFailures === 2
      const known = { ...delivery, touched, sharedFiles, entriesAsked, isPeerOut }
      let decision: DeliveryDecision | undefined
      const written = await storage
        .transact<DeliveryDecision>({
          parts: listParts(known),
          decide(read) {
            // If it begins again, the earlier decision may have been written in part.
            for (const { whole } of decision?.decided ?? []) {
              if (isForPeer(whole)) touched.add(whole.proposal.id)
            }
            for (const copy of decision?.blanked ?? []) blanked.set(copy._id, copy)
            decision = decideDelivery(known, read, journal)
            return { writes: decision.writes, unchanged: decision.unchanged, result: decision }
          },
          async onChanged(name) {
            if (name === ordersDatabase && peerId) await journal.refresh(actorId, peerId)
          },
          onWritten: (name) => onStage?.(stageOf(name, delivery)),
        })
        .catch((error: unknown) => {
          if (!isOfPeer(error, known)) throw error
          peerFailures += 1
          if (peerFailures === 2) onError(error)
        })
      if (!written) return 'again'
      const { result, revs } = written
      if (result.unshared.length + result.unseen.length === 0) {
        if (isPeerOut) hints.announce()
        const all = [...result.blanked, ...listBlankedBefore(result, blanked)]
        return {
          ...result,
          blanked: all,
          delivery: known,
          revs: revs(nameMessagesDatabase(actorId)),
        }
      }
      const looked = await shareFiles(files, result.unshared)
      sharedFiles = new Map([...sharedFiles, ...looked])
      entriesAsked = new Set([...entriesAsked, ...result.unseen])
      return 'again'
    }, overtaken)
  }
}

/** A copy blanked by an earlier try no longer names its file. */
function listBlankedBefore(
  { decided, blanked }: DeliveryDecision,
  before: ReadonlyMap<string, MessageDocument>,
): MessageDocument[] {
  const deleted = decided.filter(({ whole }) => whole.next?.deletedAt !== undefined)
  const copies = deleted.flatMap(({ whole }) => before.get(whole.proposal.id) ?? [])
  return copies.filter((copy) => !blanked.some(({ _id }) => _id === copy._id))
}

function isOfPeer(error: unknown, { actorId, peerId, isPeerOut }: Delivery): boolean {
  const isOther = peerId !== undefined && peerId !== actorId && !isPeerOut
  return (
    isOther && error instanceof TransactionFailed && error.database === nameMessagesDatabase(peerId)
  )
}

function stageOf(name: string, { actorId }: Delivery): Stage {
  if (name === nameMessagesDatabase(actorId)) return 'own'
  const isBefore = [digestsDatabase, hintsDatabase, ordersDatabase].includes(name)
  return isBefore ? 'ordered' : 'peer'
}
