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
  tries: 5,
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

  /** After a dropped connection to the other person's database the second try succeeds. */
  async function writeWithPeer(delivery: Delivery): Promise<WrittenDelivery> {
    try {
      return await write(delivery).catch((error: unknown) => {
        if (isOfPeer(error, delivery)) return write(delivery)
        throw error
      })
    } catch (error) {
      if (!isOfPeer(error, delivery)) throw error
      onError(error)
      const decided = await write({ ...delivery, isPeerOut: true })
      hints.announce()
      return decided
    }
  }

  async function write(delivery: Delivery): Promise<WrittenDelivery> {
    const { actorId, peerId } = delivery
    const touched = new Set(delivery.touched)
    const blanked = new Map<string, MessageDocument>()
    let { sharedFiles, entriesAsked } = delivery
    return await retryOvertaken(async () => {
      let decision: DeliveryDecision | undefined
      const known = { ...delivery, touched, sharedFiles, entriesAsked }
      const { result, revs } = await storage.transact<DeliveryDecision>({
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
      if (result.unshared.length + result.unseen.length === 0) {
        const all = [...result.blanked, ...listBlankedBefore(result, blanked)]
        return { ...result, blanked: all, delivery, revs: revs(nameMessagesDatabase(actorId)) }
      }
      const looked = await shareFiles(files, result.unshared)
      sharedFiles = new Map([...sharedFiles, ...looked])
      entriesAsked = new Set([...entriesAsked, ...result.unseen])
      return 'again'
    }, overtaken)
  }

  return writeWithPeer
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

function isOfPeer(error: unknown, { actorId, peerId }: Delivery): boolean {
  const isOther = peerId !== undefined && peerId !== actorId
  return (
    isOther && error instanceof TransactionFailed && error.database === nameMessagesDatabase(peerId)
  )
}

function stageOf(name: string, { actorId }: Delivery): Stage {
  if (name === nameMessagesDatabase(actorId)) return 'own'
  const isBefore = [digestsDatabase, hintsDatabase, ordersDatabase].includes(name)
  return isBefore ? 'ordered' : 'peer'
}
