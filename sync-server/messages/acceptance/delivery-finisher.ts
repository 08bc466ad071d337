import { LRUCache } from 'lru-cache'
import type { Relations } from '../../access/relations.ts'
import { atMost } from '../../lib/at-most.ts'
import type { Storage } from '../../storage/storage.ts'
import { beginConversations } from '../copies/begin-conversations.ts'
import { type Hint, type Hints, hintsDatabase } from '../copies/hints.ts'
import { type MessageFiles, releaseFile, shareFiles } from '../copies/message-files.ts'
import type { OrderEntry } from '../order/order-entry.ts'
import { type OrderJournal, ordersDatabase } from '../order/order-journal.ts'
import type { MessagePrivacy } from '../privacy/message-privacy.ts'
import { isGivenBack, isReturned, type MessageDraft } from '../proposals/message-draft.ts'
import { tellHintedReceipts } from '../receipts/tell-hinted-receipts.ts'
import { tellStandingReceipts } from '../receipts/tell-standing-receipts.ts'
import type { Delivery, Stage } from './delivery-types.ts'
import type { WrittenDelivery } from './delivery-writer.ts'
import { type OutboxEntry, outboxDatabase } from './outbox-entry.ts'

const pairsRemembered = 100_000

/**
 * Completes written deliveries: releases files, begins conversations, tells receipts, removes hints.
 * @param onQueued called with stored messages to send over a business channel
 * @param onFinished called with the places of complete messages
 * @param onAdded called with two people and how many messages they gained
 */
export function createDeliveryFinisher(options: {
  storage: Storage
  journal: OrderJournal
  hints: Hints
  relations: Pick<Relations, 'canReach'>
  privacy: MessagePrivacy
  files: MessageFiles
  now: () => number
  onQueued: (entries: readonly OutboxEntry[]) => void
  onFinished: (entries: readonly Pick<OrderEntry, '_id'>[]) => void
  onAdded: (oneId: string, otherId: string, count: number) => void
  onError: (error: unknown) => void
  onStage?: ((stage: Stage) => void | Promise<void>) | undefined
}) {
  const { storage, journal, hints, relations, privacy, files, now } = options
  const { onQueued, onFinished, onAdded, onError, onStage } = options
  const { isAtomic } = storage
  /** Pairs of sender and recipient whose conversations have both begun. */
  const begun = new LRUCache<string, true>(atMost(pairsRemembered))

  /** The copies are written: the follow-ups may come later and undo nothing. */
  async function finish({ delivery, decided, writes, blanked }: WrittenDelivery) {
    if (isAtomic) await onStage?.('own')
    const created = writes.find(({ name }) => name === hintsDatabase)?.create ?? []
    const entries = writes.find(({ name }) => name === ordersDatabase)?.create ?? []
    journal.recordGiven(entries as OrderEntry[])
    let isComplete = true
    try {
      for (const copy of blanked) await releaseFile(files, copy)
      // Its file may have returned during the write, before anybody shared it.
      const returned = decided.map(({ whole }) => whole).filter(isReturned)
      if (returned.length > 0) await shareFiles(files, returned)
      await begin(
        delivery,
        decided.map(({ whole }) => whole),
      )
      // Keep the hint of what could not be written for the other person.
      if (!delivery.isPeerOut) await hints.remove(created as Hint[])
    } catch (error) {
      // A full disk may have refused the hint too: the healer finds what the journal names.
      isComplete = false
      hints.announce()
      onError(error)
    }
    if (isComplete) onFinished(entries)
    const queued = writes.find(({ name }) => name === outboxDatabase)?.put ?? []
    if (queued.length > 0) onQueued(queued as OutboxEntry[])
    if (delivery.peerId) onAdded(delivery.actorId, delivery.peerId, entries.length)
    await onStage?.('finished')
  }

  async function begin(delivery: Delivery, drafts: readonly MessageDraft[]) {
    const { actorId: authorId, peerId: readerId, reach, hasBegun } = delivery
    if (readerId === undefined) return
    const found = drafts.find(({ effect, next }) => effect === 'deliver' && next)?.next
    const first = hasBegun ? undefined : found
    if (first && !isAtomic) {
      const pair = { authorId, readerId, message: first, isHeld: reach !== 'delivered' }
      await beginConversations({ storage, ...pair }).catch(async (error: unknown) => {
        await hints.addMessages([{ authorId, readerId, messageId: first._id }])
        throw error
      })
    }
    // In one store both begin together, but after a restore the reader's marks may return first.
    const mayBeTold = (first && !isAtomic) || drafts.some((draft) => isGivenBack(draft, delivery))
    if (mayBeTold && reach !== 'channel') await tellReceiptsOf(authorId, readerId)
    const isBegun = first && (reach === 'delivered' || reach === 'channel')
    if (isBegun) begun.set(`${authorId} ${readerId}`, true)
  }

  /** The reader may have read it before its author's conversation began. */
  async function tellReceiptsOf(authorId: string, readerId: string) {
    await tellStandingReceipts({ storage, relations, privacy, authorId, readerId, now })
    const hint = await hints.findReceipts(authorId, readerId)
    if (!hint) return
    await tellHintedReceipts({ storage, relations, privacy, marks: hint, now })
    await hints.remove([hint])
  }

  return {
    /** Have both people's conversations begun? False also when unknown. */
    hasBegun: (senderId: string, recipientId: string) => begun.has(`${senderId} ${recipientId}`),
    finish,
  }
}
