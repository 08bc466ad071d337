import { wireVersion } from '../../../schema/api/wire.ts'
import { messageDocument } from '../../../schema/message.ts'
import type { MessageCollection } from '../../database/storage/collections.ts'
import type { DeviceStore } from '../../database/storage/open-device-store.ts'
import { queryDocuments } from '../../database/storage/read-documents.ts'
import { placeOfUnparsed } from '../../database/storage/stored-message.ts'
import type { ServerDocument } from './server-versions.ts'
import { readFound } from './sync-answers.ts'
import { createAdaptiveBatchSize } from './transport/adaptive-batch-size.ts'
import type { SyncCalls } from './transport/sync-calls.ts'

/** Documents that an earlier version of the app stored without being able to parse them. */
export interface Unparsed {
  /** Asks the server for the next of them that this version can parse; empty at the end. */
  take(calls: SyncCalls): Promise<ServerDocument[]>
}

const idsPerRequest = 100

/**
 * The hidden messages, asked for again once the app's version of the protocol has changed: the
 * device kept only the fields that the earlier version knew.
 */
export function createUnparsed(options: {
  messages: MessageCollection
  epochs: DeviceStore['epochs']
  version?: number
}): Unparsed {
  const { messages, epochs, version = wireVersion } = options
  const state = { left: undefined as string[] | undefined, isAnyParsed: false }
  const reading = createAdaptiveBatchSize({ first: idsPerRequest, least: 1, most: idsPerRequest })

  async function listIds(): Promise<string[]> {
    const stored = await epochs.get(messages.name)
    if (stored?.parsedBy === version) return []
    const hidden = await queryDocuments(messages, {
      selector: placeOfUnparsed,
      sort: [{ shelf: 'asc' }, { orderedAt: 'asc' }],
      index: ['shelf', 'orderedAt'],
    })
    return hidden.map(({ _id }) => _id)
  }

  return {
    async take(calls) {
      // A device that cannot be read now tries at the next page: nothing else waits for these.
      state.left ??= await listIds().catch(() => undefined)
      const left = state.left ?? []
      while (left.length > 0) {
        const describe = () => {
          const keys = left.slice(0, reading.size())
          const size = { batchSize: reading, amount: keys.length }
          return { path: '_all_docs?include_docs=true', body: JSON.stringify({ keys }), size }
        }
        const offered = await calls.offer(describe, readFound)
        if ('refusal' in offered) {
          // Something on the way does not let this through: the next start asks again.
          left.length = 0
          return []
        }
        const { amount } = offered.call.size
        reading.grow(amount)
        left.splice(0, amount)
        const parsed = offered.answer.filter((one) => messageDocument.safeParse(one).success)
        state.isAnyParsed ||= parsed.length > 0
        // Not while anything is on its way to the disk: a kill would hide that for good.
        if (left.length === 0 && !state.isAnyParsed) await recordAll()
        if (parsed.length > 0) return parsed
      }
      return []
    },
  }

  /** A note that cannot be written costs the next start a request. */
  async function recordAll() {
    await epochs.update(messages.name, { parsedBy: version }).catch(() => {})
  }
}
