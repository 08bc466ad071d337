import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import type { ConversationDocument } from '../../schema/conversation.ts'
import { type LostSpan, type MessageDocument, messageDocument } from '../../schema/message.ts'
import { deriveStatus, deriveStatusHistory } from '../../schema/peer-marks.ts'
import type { AccountsDocument } from '../access/account-documents.ts'
import { createAccounts } from '../access/accounts.ts'
import { createRelations } from '../access/relations.ts'
import type { ServerLink } from '../cluster/server-link.ts'
import type { Stage } from '../messages/acceptance/delivery-types.ts'
import type { MessageFiles } from '../messages/copies/message-files.ts'
import { createAcceptance } from '../messages/message-acceptance.ts'
import type { MessagePrivacy } from '../messages/proposals/proposal.ts'
import {
  nameConversationsDatabase,
  nameMessagesDatabase,
} from '../storage/documents/database-names.ts'
import { createStorage, type Storage, type StorageOptions } from '../storage/storage.ts'

export type TestAcceptance = Awaited<ReturnType<typeof openTestAcceptance>>

/**
 * For tests: the whole acceptance on real LevelDB in a folder that `close` removes, with Ann and
 * Ben.
 */
export async function openTestAcceptance(options: TestOptions = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-sync-'))
  const state = openAll(dataDir, options)
  if (options.couchdbUrl) {
    await Promise.all(
      ['accounts', 'orders', 'debts', 'digests'].map((name) => state.storage.destroy(name)),
    )
  }

  const others: Storage[] = []

  async function register(username: string): Promise<string> {
    const email = `${username.toLowerCase()}@example.org`
    const registered = await state.accounts.register({ username, email, passwordHash: '' })
    if (registered.kind !== 'done') throw new Error(`${username} was not registered`)
    return registered.account.userId
  }

  return {
    dataDir,
    get storage() {
      return state.storage
    },
    get accounts() {
      return state.accounts
    },
    get relations() {
      return state.relations
    },
    get acceptance() {
      return state.acceptance
    },
    ann: await register('Ann'),
    ben: await register('Ben'),
    register,
    /** Continues as a restarted server: knows only what is stored. */
    restart() {
      const { storage, relations } = state
      state.acceptance = createAcceptance({ storage, relations, ...options })
    },
    /** Another server on the same CouchDB; it closes with this one. */
    openOther(rest: TestOptions = {}) {
      const { storage, acceptance } = openAll(dataDir, { ...options, ...rest })
      others.push(storage)
      return acceptance
    },
    /** Reopens storage that another process has changed, after `storage.close()`. */
    reopen() {
      Object.assign(state, openAll(dataDir, options))
    },
    async readMessages(userId: string) {
      const name = nameMessagesDatabase(userId)
      const messages = await state.storage.database<MessageDocument>(name).range({})
      return messages.sort((a, b) => a.orderedAt - b.orderedAt)
    },
    async readMessage(userId: string, id: string) {
      const name = nameMessagesDatabase(userId)
      return (await state.storage.database<MessageDocument>(name).read([id])).get(id)
    },
    /** A person's message statuses, in order. */
    async readStatuses(userId: string) {
      const marks = new Map<string, ConversationDocument>()
      const messages = await this.readMessages(userId)
      for (const { peerId } of messages) {
        const conversation = await this.readConversation(userId, peerId)
        if (conversation) marks.set(peerId, conversation)
      }
      return messages.map((message) => ({
        status: deriveStatus(message, marks.get(message.peerId), userId),
        history: deriveStatusHistory(message, marks.get(message.peerId), userId).map(
          ({ status }) => status,
        ),
      }))
    },
    async readConversation(userId: string, id: string) {
      const name = nameConversationsDatabase(userId)
      return (await state.storage.database<ConversationDocument>(name).read([id])).get(id)
    },
    async close() {
      await Promise.all([state.storage, ...others].map((storage) => storage.close()))
      await rm(dataDir, { recursive: true })
    },
  }
}

interface TestOptions {
  /** Replaces LevelDB; removes earlier tests' data of people and places there. */
  couchdbUrl?: string
  durability?: 'sync' | 'relaxed'
  /**
   * False writes the copies in sequence, as on a CouchDB: only then can a crash come between them.
   */
  isAtomic?: boolean
  /** Wraps LevelDB. */
  wrapLevel?: StorageOptions['wrapLevel']
  files?: MessageFiles
  privacy?: MessagePrivacy
  link?: ServerLink | undefined
  /** By default true with a CouchDB: then another server may still be writing young entries. */
  isShared?: boolean
  now?: () => number
  lookAgainMs?: number
  tallyEvery?: number
  isFull?: (userId: string) => Promise<boolean>
  /** What a restore lost of a person's data. */
  listLost?: (userId: string) => readonly LostSpan[]
  onStage?: (stage: Stage) => void | Promise<void>
  onError?: (error: unknown) => void
}

function openAll(dataDir: string, options: TestOptions) {
  const { couchdbUrl, durability = 'relaxed', isAtomic = true, wrapLevel } = options
  const place = couchdbUrl ? { dataDir, couchdbUrl } : { dataDir, durability, isAtomic, wrapLevel }
  const storage = createStorage({ ...place, idleCloseMs: 200 })
  const database = storage.database<AccountsDocument>('accounts')
  const accounts = createAccounts({ database })
  const relations = createRelations({ database, isShared: false })
  return {
    storage,
    accounts,
    relations,
    acceptance: createAcceptance({
      storage,
      relations,
      isShared: couchdbUrl !== undefined,
      ...options,
    }),
  }
}

/** A message as its author's device writes it. */
export function writeMessage(
  fields: Partial<MessageDocument> & Pick<MessageDocument, 'senderId' | 'recipientId'>,
): MessageDocument {
  const now = Date.now()
  return messageDocument.parse({
    _id: uuidv7(),
    peerId: fields.recipientId,
    content: 'hello',
    createdAt: now,
    orderedAt: now,
    ...fields,
  })
}

/** A document as `acceptMessages` and `acceptConversations` take it. */
export function propose(doc: { _id: string }) {
  return { id: doc._id, raw: { ...doc }, isDeleted: false }
}
