import type { LostSpan } from '../../schema/lost-span.ts'
import type { Relations } from '../access/relations.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Storage } from '../storage/storage.ts'
import { createConversationAcceptor } from './acceptance/conversation-acceptor.ts'
import { createMessageAcceptor, type Stage } from './acceptance/message-acceptor.ts'
import type { OutboxEntry } from './acceptance/outbox-entry.ts'
import { createHints } from './copies/hints.ts'
import { type MessageFiles, noFiles } from './copies/message-files.ts'
import { createDigests } from './digests/digests.ts'
import { createHealer } from './healing/healer.ts'
import { createOrderJournal } from './order/order-journal.ts'

/**
 * Everything that writes messages and conversations (P4): replication, REST, the socket and the business channel
 * come through here.
 * @param files who may see the file of a message; without it, messages with files are refused
 * @param isFull has somebody no room left for anything new? Nobody, without it
 * @param listLost what the server has forgotten of somebody, after a backup was put back
 * @param now epoch ms
 * @param onError told what went wrong in the background: copies that could not be written, or not completed after a crash
 * @param isShared other servers may write the same databases; `link` is how they hear each other
 * @param lookAgainMs how long after something could not be completed it is tried again
 * @param tallyEvery how many places lie between two stored tallies of a conversation, about
 * @param onQueued told of messages that are stored and leave over a business channel
 * @param onStage for tests of crashes: runs after each stage of a write, and holds it up
 */
export function createAcceptance(options: {
  storage: Storage
  relations: Pick<Relations, 'canReach'>
  files?: MessageFiles
  isFull?: (userId: string) => Promise<boolean>
  isShared?: boolean
  link?: ServerLink | undefined
  lookAgainMs?: number
  tallyEvery?: number | undefined
  listLost?: (userId: string) => readonly LostSpan[]
  now?: () => number
  onQueued?: (entries: readonly OutboxEntry[]) => void
  onError?: (error: unknown) => void
  onStage?: (stage: Stage) => void | Promise<void>
}) {
  const { storage, relations, files = noFiles, isShared = false, now = Date.now, onStage } = options
  const { onError = () => undefined, isFull = async () => false, lookAgainMs, link } = options
  const { tallyEvery, listLost = () => [], onQueued = () => undefined } = options
  const journal = createOrderJournal({ storage, link, now })
  const digests = createDigests({ storage, journal, every: tallyEvery, now, onError })
  const hints = createHints({ storage, onAdded: () => healer.lookAgain() })
  const base = { storage, hints, relations, listLost, now, onError }
  const healer = createHealer({ ...base, files, isShared, lookAgainMs })
  const messages = createMessageAcceptor({
    ...base,
    journal,
    files,
    isFull,
    onStage,
    onQueued,
    onAdded: digests.recordAdded,
    onReturned: digests.forgetTallies,
    onStarted: healer.recordStarted,
    onFinished: healer.recordFinished,
  })
  const conversations = createConversationAcceptor({ ...base, journal })

  return {
    acceptMessages: messages.acceptMessages,
    acceptConversations: conversations.acceptConversations,
    /** Completes what a crash left between the copies of a message: to be called at the start. */
    healCopies: healer.healCopies,
    /** The messages of a conversation in their order. */
    journal,
    /** What can be said of all that somebody has without reading all of it. */
    digests,
    /** Looks after nothing any more, and waits for nothing. */
    drop() {
      healer.drop()
      digests.drop()
    },
    /** Waits for what is under way. */
    async close() {
      await Promise.all([messages.settle(), conversations.settle()])
      await healer.close()
      // What was not begun is counted when somebody asks.
      digests.drop()
      await digests.settle()
      journal.close()
    },
  }
}

export type Acceptance = ReturnType<typeof createAcceptance>
