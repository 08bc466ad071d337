import type { LostSpan } from '../../schema/message.ts'
import type { Relations } from '../access/relations.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Storage } from '../storage/storage.ts'
import {
  createConversationAcceptor,
  type FindMarkedGroup,
} from './acceptance/conversation-acceptor.ts'
import type { Stage } from './acceptance/delivery-types.ts'
import { createMessageAcceptor } from './acceptance/message-acceptor.ts'
import type { OutboxEntry } from './acceptance/outbox-entry.ts'
import { createHints } from './copies/hints.ts'
import { type MessageFiles, noFiles } from './copies/message-files.ts'
import { createOrderJournal } from './copies/order-journal.ts'
import { createDigests } from './digests/digests.ts'
import { createHealer } from './healer.ts'
import { type AcceptanceListener, type MessagePrivacy, openPrivacy } from './proposals/proposal.ts'

/**
 * The one way in for messages and conversations (P4): replication, REST, the socket and the
 * business channel all write through it.
 * @param files who may see the file of a message; without it, messages with files are refused
 * @param isFull does this person have no room for anything new? Without it, nobody is full
 * @param listLost what the server lost of a person's data in a restore
 * @param findGroup without it, there are no groups
 * @param now epoch ms
 * @param onError called with failures in the background: unwritten copies, or copies not completed
 * after a crash
 * @param isShared other servers may write the same databases; `link` connects to them
 * @param lookAgainMs the wait before retrying an incomplete heal
 * @param tallyEvery about how many places lie between two stored tallies of a conversation
 * @param onQueued called with stored messages to send over a business channel
 * @param onStage for tests of crashes: runs after each stage of a write, and delays it
 */
export function createAcceptance(options: {
  storage: Storage
  relations: Pick<Relations, 'canReach'>
  /** Without it nobody has restricted anything. */
  privacy?: MessagePrivacy
  files?: MessageFiles
  isFull?: (userId: string) => Promise<boolean>
  isShared?: boolean
  link?: ServerLink | undefined
  lookAgainMs?: number | undefined
  tallyEvery?: number | undefined
  listLost?: (userId: string) => readonly LostSpan[]
  findGroup?: FindMarkedGroup
  now?: () => number
  listener?: Partial<AcceptanceListener>
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
  const { privacy = openPrivacy, listener = {} } = options
  const { onMessages = () => undefined, onConversations = () => undefined } = listener
  const base = { storage, hints, relations, privacy, listLost, now, onError }
  const healer = createHealer({ ...base, files, isShared, lookAgainMs })
  const messages = createMessageAcceptor({
    ...base,
    journal,
    files,
    isFull,
    onStage,
    onQueued,
    onAccepted: onMessages,
    onAdded: digests.recordAdded,
    onReturned: digests.forgetTallies,
    onStarted: healer.recordStarted,
    onFinished: healer.recordFinished,
  })
  const conversations = createConversationAcceptor({
    ...base,
    journal,
    findGroup: options.findGroup,
    onAccepted: onConversations,
  })

  return {
    acceptMessages: messages.acceptMessages,
    acceptConversations: conversations.acceptConversations,
    /** Completes what a crash left between the copies of a message: call at the start. */
    healCopies: healer.healCopies,
    /** The messages of a conversation in their order. */
    journal,
    /** Answers about all of a person's data without reading all of it. */
    digests,
    /** Stops at once, without waiting for pending work. */
    drop() {
      healer.drop()
      digests.drop()
    },
    /** Waits for pending work. */
    async close() {
      await Promise.all([messages.settle(), conversations.settle()])
      await healer.close()
      // Counts that have not begun run on demand later.
      digests.drop()
      await digests.settle()
      journal.close()
    },
  }
}

export type Acceptance = ReturnType<typeof createAcceptance>
