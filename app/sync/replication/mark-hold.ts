import type { RxReplicationWriteToMasterRow } from 'rxdb/plugins/core'
import { type ConversationDocument, conversationFields } from '../../../schema/conversation.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { areFieldsEqual } from '../../../schema/helpers/equality.ts'
import { orAborted } from '../platform/back-off.ts'

type Row = RxReplicationWriteToMasterRow<ConversationDocument>

const longestMs = 10_000
/** Fields that arriving and reading change automatically; a person changes all others. */
const moving = new Set<string>(['deliveredUpTo', 'readUpTo', 'lastMessage', 'lastMessageAt'])
const still = conversationFields.filter((field) => !moving.has(field))

/**
 * Delays marks for received and read messages until the catch-up ends, ten seconds at most: on a
 * slow line each mark's answers, and their consequences, would displace two dozen messages.
 */
export function createMarkHold() {
  let over: ReturnType<typeof createDeferred<void>> | undefined

  return {
    setCatchingUp(isUnderWay: boolean) {
      if (isUnderWay) over ??= createDeferred()
      else {
        over?.resolve()
        over = undefined
      }
    },
    /** Resolves when these may leave. @throws the reason of the signal */
    async untilFree(rows: readonly Row[], signal: AbortSignal): Promise<void> {
      if (!over || !rows.every(isOfMarks)) return
      const { promise: waited, resolve } = createDeferred()
      const timer = setTimeout(resolve, longestMs)
      try {
        await orAborted(Promise.race([over.promise, waited]), signal)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

function isOfMarks({ newDocumentState, assumedMasterState }: Row): boolean {
  return (
    assumedMasterState !== undefined && areFieldsEqual(still, newDocumentState, assumedMasterState)
  )
}
