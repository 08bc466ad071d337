import type { Relations } from '../access/create-relations.ts'
import type { Storage } from '../storage/create-storage.ts'
import { createConversationAcceptor } from './create-conversation-acceptor.ts'
import { createDebts } from './create-debts.ts'
import { createHealer } from './create-healer.ts'
import { createMessageAcceptor, type Stage } from './create-message-acceptor.ts'
import { createOrderJournal } from './create-order-journal.ts'
import { type MessageFiles, noFiles } from './share-files.ts'

/**
 * Everything that writes messages and conversations (P4): replication, REST, the socket and the business channel
 * come through here.
 * @param files who may see the file of a message; without it, messages with files are refused
 * @param now epoch ms
 * @param onError told what went wrong in the background: copies that could not be written, or not completed after a crash
 * @param isShared other servers write the same databases
 * @param lookAgainMs how long after something could not be completed it is tried again
 * @param onStage for tests of crashes: runs after each stage of a write, and holds it up
 */
export function createAcceptance(options: {
  storage: Storage
  relations: Pick<Relations, 'canReach'>
  files?: MessageFiles
  isShared?: boolean
  lookAgainMs?: number
  now?: () => number
  onError?: (error: unknown) => void
  onStage?: (stage: Stage) => void | Promise<void>
}) {
  const { storage, relations, files = noFiles, isShared = false, now = Date.now, onStage } = options
  const { onError = () => undefined, lookAgainMs } = options
  const journal = createOrderJournal({ storage, isShared, now })
  const debts = createDebts({ storage, onNoted: () => healer.lookAgain() })
  const base = { storage, journal, debts, relations, now }
  const healer = createHealer({ ...base, files, isShared, lookAgainMs, onError })
  const messages = createMessageAcceptor({
    ...{ ...base, files, onError, onStage },
    onStarted: healer.noteStarted,
    onFinished: healer.noteFinished,
  })
  const conversations = createConversationAcceptor({ ...base, onError })

  return {
    acceptMessages: messages.acceptMessages,
    acceptConversations: conversations.acceptConversations,
    /** Completes what a crash left between the copies of a message: to be called at the start. */
    healCopies: healer.healCopies,
    /** The messages of a conversation in their order. */
    journal,
    /** Looks after nothing any more, and waits for nothing. */
    drop: healer.drop,
    /** Waits for what is under way. */
    async close() {
      await Promise.all([messages.settle(), conversations.settle()])
      await healer.close()
    },
  }
}

export type Acceptance = ReturnType<typeof createAcceptance>
