import type { RxCollection, RxDocumentData } from 'rxdb/plugins/core'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import { isUploadOwed, type MessageDocument } from '../../../schema/message.ts'
import { retryMessage } from '../../database/commands/change-message.ts'
import { type CommandContext, subscribeToChanges } from '../../database/storage/collections.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import {
  failedTally,
  fromStoredMessage,
  listTally,
  pendingTally,
  refusedTally,
  type StoredMessage,
} from '../../database/storage/stored-message.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'
import { createRefresher } from '../../database/views/refresher.ts'
import { closeMessage } from '../../encryption/sealed-message.ts'
import type { PendingFiles } from '../files/pending-files.ts'
import { findOwed } from '../replication/find-owed.ts'
import { openReplicationNotes, replicationKey } from '../replication/replication-notes.ts'
import type { SetAsidePush } from '../replication/set-aside.ts'
import type { Requests } from '../requests/requests.ts'
import type {
  HiddenMessages,
  OutboxItem,
  OutboxPage,
  OutboxView,
  OwedChange,
  OwedWhat,
} from './outbox-types.ts'

const mostListed = 100

/** This many of each kind at first, and again with each wish for more. */
const pageSize = 100
/** Nothing announces that the server has a change of something it knew before. */
const owedEveryMs = 2_000

export interface OutboxViewOptions {
  context: CommandContext
  requests: Requests
  pending: Pick<PendingFiles, 'isHeld' | 'subscribe'>
  withheld: LiveValue<HiddenMessages>
  setAside: LiveValue<ReadonlyMap<string, SetAsidePush>>
  /** Changes whenever the server was reached or lost. */
  connection: LiveValue<unknown>
  nextTryInMs: OutboxView['nextTryInMs']
  onError: (cause: unknown) => void
}

/** Reads by index what waits and what was refused, a page at a time, and keeps it current. */
export function createOutboxView(options: OutboxViewOptions): OutboxView {
  const { context, requests, pending, withheld, setAside, onError } = options
  const { database } = context
  const page = createLiveValue<OutboxPage | undefined>(undefined)
  const state = { limit: pageSize, isClosed: false }
  const known = new Map<string, OutboxItem>()

  function fromStored(stored: RxDocumentData<StoredMessage>): OutboxItem {
    const message = fromStoredMessage(stored)
    const { _id, createdAt, refused } = message
    if (stored.tally === refusedTally) {
      return { kind: 'change', id: _id, at: refused?.at ?? createdAt, message }
    }
    const isBehindFile = !isUploadOwed(message) && pending.isHeld(message)
    return { kind: 'message', id: _id, at: createdAt, message, isBehindFile }
  }

  const newestFirst = (a: OutboxItem, b: OutboxItem) => b.at - a.at

  const refresher = createRefresher({
    onError,
    gatherMs: 15,
    async run() {
      const { limit } = state
      const read = (tally: string) => listTally(database.messages, tally, limit + 1)
      const [waiting, failed, refused] = await Promise.all([
        read(pendingTally),
        read(failedTally),
        read(refusedTally),
      ])
      const { deleted } = withheld.getSnapshot()
      const toItems = (found: readonly RxDocumentData<StoredMessage>[]) =>
        found
          .slice(0, limit)
          .filter(({ _id }) => !deleted.has(_id))
          .map(fromStored)
      const entries: OutboxItem[] = requests.entries
        .getSnapshot()
        .map((entry) => ({ kind: 'request', id: entry._id, at: entry.timestamp, entry }))
      const isRefused = (item: OutboxItem) =>
        item.kind === 'request' && item.entry.state === 'refused'
      const next = {
        failed: [...toItems(failed), ...toItems(refused), ...entries.filter(isRefused)],
        waiting: [...toItems(waiting), ...entries.filter((item) => !isRefused(item))],
      }
      for (const list of Object.values(next)) list.sort(newestFirst)
      if (state.isClosed) return
      page.set({
        failed: keepSame(next.failed),
        waiting: keepSame(next.waiting),
        changes: page.getSnapshot()?.changes ?? [],
        hasMore: [waiting, failed, refused].some((found) => found.length > limit),
      })
      const shown = new Set([...next.failed, ...next.waiting].map(({ id }) => id))
      for (const id of known.keys()) if (!shown.has(id)) known.delete(id)
    },
  })

  /** An equal item keeps its identity, so that its row does not draw again. */
  function keepSame(items: readonly OutboxItem[]): OutboxItem[] {
    return items.map((item) => {
      const before = known.get(item.id)
      if (before && JSON.stringify(before) === JSON.stringify(item)) return before
      known.set(item.id, item)
      return item
    })
  }

  const owed = createRefresher({
    onError,
    async run() {
      const changes = await listOwedChanges(database)
      const before = page.getSnapshot()
      if (!before) await refresher.refresh()
      const current = page.getSnapshot()
      if (!current || state.isClosed) return
      if (JSON.stringify(current.changes) === JSON.stringify(changes)) return
      page.set({ ...current, changes })
    },
  })

  const refresh = () => void refresher.refresh()
  const timer = setInterval(() => {
    if (page.getSnapshot()?.changes.length) void owed.refresh()
  }, owedEveryMs)
  const unsubscribes = [
    subscribeToChanges(database.messages, () => {
      refresh()
      void owed.refresh()
    }),
    subscribeToChanges(database.conversations, () => void owed.refresh()),
    requests.entries.subscribe(refresh),
    pending.subscribe(refresh),
    withheld.subscribe(refresh),
    options.connection.subscribe(() => void owed.refresh()),
  ]
  refresh()
  void owed.refresh()

  return {
    page,
    showMore() {
      state.limit += pageSize
      refresh()
    },
    async sendAllAgain() {
      const failed = await listTally(database.messages, failedTally)
      const { deleted } = withheld.getSnapshot()
      for (const { _id } of failed.reverse()) {
        if (!deleted.has(_id)) await retryMessage(context, _id)
      }
      for (const { _id, state } of requests.entries.getSnapshot()) {
        if (state === 'refused') await requests.retry(_id)
      }
    },
    findRefusedStatus: (id) => setAside.getSnapshot().get(id)?.status,
    findRefusedWords: (id) => setAside.getSnapshot().get(id)?.words,
    nextTryInMs: options.nextTryInMs,
    close() {
      state.isClosed = true
      clearInterval(timer)
      for (const unsubscribe of unsubscribes) unsubscribe()
      refresher.close()
      owed.close()
    },
  }
}

/**
 * The changes of sent messages and of chats that the server lacks, newest first, from stored data.
 * A change without words for a person, such as a mark of what has arrived, is left out.
 */
async function listOwedChanges(database: PetrelDatabase): Promise<readonly OwedChange[]> {
  const [messages, conversations] = await Promise.all([
    listOf(database, {
      name: 'messages',
      compare: compareMessages,
      readPeerId: ({ peerId }: MessageDocument) => peerId,
    }),
    listOf(database, {
      name: 'conversations',
      compare: compareConversations,
      readPeerId: ({ _id }: ConversationDocument) => _id,
    }),
  ])
  return [...messages, ...conversations].sort((a, b) => b.at - a.at).slice(0, mostListed)
}

async function listOf<T extends { _id: string }>(
  database: PetrelDatabase,
  of: {
    name: 'messages' | 'conversations'
    compare(own: T, server: Partial<T> | undefined): OwedWhat[]
    readPeerId(own: T): string
  },
): Promise<OwedChange[]> {
  const collection = database[of.name] as unknown as RxCollection<T>
  const identifier = replicationKey(await database.device.epochs.get(of.name))
  const notes = await openReplicationNotes(collection, identifier)
  try {
    const { owed, servers } = await findOwed({ collection, notes, identifier })
    return owed.flatMap((own) => {
      const what = of.compare(own, servers.get(own._id))
      if (what.length === 0) return []
      return { id: own._id, peerId: of.readPeerId(own), at: own._meta.lwt, what }
    })
  } finally {
    await notes.close()
  }
}

/** A message that is itself on its way is no change: the outbox lists it. */
function compareMessages(
  own: MessageDocument,
  server: Partial<MessageDocument> | undefined,
): OwedWhat[] {
  return server ? compareClosed(closeMessage(own), closeMessage(server as MessageDocument)) : []
}

function compareClosed(own: MessageDocument, server: Partial<MessageDocument>): OwedWhat[] {
  const isOnItsWay = own.status === 'sending' || own.status === 'failed'
  if (isOnItsWay) return []
  if (own.deletedAt !== server.deletedAt) return own.deletedAt === undefined ? [] : ['deleted']
  return [
    ...choose(own.content !== server.content || own.sealed !== server.sealed, 'edited'),
    ...choose(
      own.isStarred !== (server.isStarred ?? false),
      own.isStarred ? 'starred' : 'unstarred',
    ),
    ...choose(
      (own.isHidden ?? false) !== (server.isHidden ?? false),
      own.isHidden ? 'hidden' : 'unhidden',
    ),
    ...choose(JSON.stringify(own.reactions) !== JSON.stringify(server.reactions), 'reacted'),
  ]
}

function compareConversations(
  own: ConversationDocument,
  server: Partial<ConversationDocument> = {},
): OwedWhat[] {
  const isOther = (flag: 'isPinned' | 'isArchived' | 'isMuted') =>
    own[flag] !== (server[flag] ?? false)
  return [
    ...choose(own.clearedUpTo > (server.clearedUpTo ?? 0), 'cleared'),
    ...choose(isOther('isPinned'), own.isPinned ? 'pinned' : 'unpinned'),
    ...choose(isOther('isArchived'), own.isArchived ? 'archived' : 'unarchived'),
    ...choose(isOther('isMuted'), own.isMuted ? 'muted' : 'unmuted'),
    ...choose(own.readUpTo > (server.readUpTo ?? 0), 'read'),
  ]
}

function choose(isIt: boolean, what: OwedWhat): OwedWhat[] {
  return isIt ? [what] : []
}
