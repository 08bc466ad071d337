import type { RxReplicationWriteToMasterRow } from 'rxdb/plugins/core'
import { type ConversationDocument, conversationFields } from '../../../schema/conversation.ts'
import { areFieldsEqual } from '../../../schema/helpers/are-fields-equal.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import { orAborted } from '../platform/back-off.ts'

type Row = RxReplicationWriteToMasterRow<ConversationDocument>

const longestMs = 10_000
/** What moves by itself as messages come and are read; all else somebody has done. */
const moving = new Set<string>(['deliveredUpTo', 'readUpTo', 'lastMessage', 'lastMessageAt'])
const still = conversationFields.filter((field) => !moving.has(field))

/**
 * Marks of what came and was read wait until the messages have been caught up, ten seconds at most: on a slow line the
 * answers to each of them, and to what each leads to, take the place of two dozen messages.
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
