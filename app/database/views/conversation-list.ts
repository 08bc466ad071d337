import type { ConversationDocument } from '../../../schema/conversation.ts'
import { isMutedAt } from '../../../schema/is-muted-at.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import {
  findFailedPlaces,
  findNewestMessage,
  findNewestPending,
} from '../storage/find-newest-message.ts'
import type { KnownPerson } from '../storage/known-person.ts'
import type { PetrelDatabase } from '../storage/open-database.ts'
import { subscribeToTable } from '../storage/open-device-store.ts'
import { readDocuments } from '../storage/read-documents.ts'
import { fromStoredConversation } from '../storage/stored-conversation.ts'
import { subscribeToChanges } from '../storage/subscribe-to-changes.ts'
import {
  areRowPartsEqual,
  type ConversationRow,
  compareRows,
  isRowShown,
  makeRow,
  type RowParts,
} from './conversation-row.ts'
import { countUnread } from './count-unread.ts'
import { createLiveValue, type LiveValue } from './live-value.ts'
import { createMuteEnds } from './mute-ends.ts'
import { readConversations } from './read-conversations.ts'
import { createRefresher } from './refresher.ts'

/**
 * The conversation list, joined from conversations, their newest messages, unread counts and
 * people.
 * After the first read, only conversations affected by a write are reread.
 */
export function createConversationList(options: {
  database: PetrelDatabase
  onError: (cause: unknown) => void
  /** The server's time, epoch ms. */
  now?: () => number
}): { conversations: LiveValue<readonly ConversationRow[]>; ready: Promise<void>; close(): void } {
  const { database, onError, now = Date.now } = options
  const rows = new Map<string, { parts: RowParts; row: ConversationRow }>()
  const conversations = createLiveValue<readonly ConversationRow[]>([])
  const concerned = new Set<string>()
  /** The latest people, and how often they were updated. */
  const told = { times: 0, people: new Map<string, KnownPerson>() }

  async function readParts(
    conversation: ConversationDocument,
    known: {
      people: Map<string, KnownPerson>
      newest: Map<string, MessageDocument>
      failed: Map<string, number>
    },
  ): Promise<RowParts> {
    const peerId = conversation._id
    const newest = known.newest.get(peerId) ?? (await findNewestMessage(database.messages, peerId))
    return {
      conversation,
      peer: known.people.get(peerId),
      lastMessage: newest && newest.orderedAt > conversation.clearedUpTo ? newest : undefined,
      unreadCount: await countUnread(database.messages, { conversation, newest }),
      hasFailed: (known.failed.get(peerId) ?? 0) > conversation.clearedUpTo,
      isMuted: isMutedAt(conversation, now()),
    }
  }

  async function readPeople(peerIds: readonly string[]): Promise<Map<string, KnownPerson>> {
    const people = await database.device.people.bulkGet([...peerIds])
    const known = people.filter((person) => person !== undefined)
    return new Map(known.map((person) => [person._id, person]))
  }

  async function readRows(
    found: readonly ConversationDocument[],
    newest: Map<string, MessageDocument>,
  ) {
    const toldBefore = told.times
    const [people, failed] = await Promise.all([
      readPeople(found.map(({ _id }) => _id)),
      findFailedPlaces(database.messages),
    ])
    const known = { people, newest, failed }
    const parts = await Promise.all(found.map((each) => readParts(each, known)))
    for (const each of parts) keepRow(each)
    publish()
    // A row's first read ran before the row existed, so it missed updates of its person.
    if (told.times !== toldBefore) concernChanged(found.map(({ _id }) => _id))
  }

  async function readAll() {
    const found = await readConversations(database.conversations)
    await readRows(found, await findNewestPending(database.messages))
  }

  function keepRow(parts: RowParts) {
    const peerId = parts.conversation._id
    const before = rows.get(peerId)
    const peer = samePerson(before?.parts.peer, parts.peer)
    const current = { ...parts, peer }
    if (before && areRowPartsEqual(before.parts, current)) return
    rows.set(peerId, { parts: current, row: makeRow(current) })
  }

  function publish() {
    const shown = [...rows.values()].filter(({ parts }) => isRowShown(parts))
    const next = shown.map(({ row }) => row).sort(compareRows)
    const before = conversations.getSnapshot()
    const isSame = next.length === before.length && next.every((row, i) => row === before[i])
    if (!isSame) conversations.set(next)
    muteEnds.follow()
  }

  const muteEnds = createMuteEnds({
    now,
    listEnds: () => [...rows.values()].flatMap(({ row }) => row.mutedUntil ?? []),
    onEnd: () =>
      concern([...rows.values()].flatMap(({ row }) => (row.mutedUntil ? [row.peerId] : []))),
  })

  const refresher = createRefresher({
    onError,
    gatherMs: 15,
    async run() {
      const peerIds = [...concerned]
      concerned.clear()
      try {
        const found = await readDocuments(database.conversations, peerIds)
        await readRows([...found.values()].map(fromStoredConversation), new Map())
      } catch (cause) {
        for (const peerId of peerIds) concerned.add(peerId)
        throw cause
      }
    },
  })

  function concern(peerIds: Iterable<string>) {
    for (const peerId of peerIds) concerned.add(peerId)
    if (concerned.size > 0) void refresher.refresh()
  }

  /** Rereads the rows whose person changed. */
  function concernChanged(peerIds: Iterable<string>) {
    concern(
      [...peerIds].filter((peerId) => {
        const row = rows.get(peerId)
        const person = told.people.get(peerId)
        return row && person && !isSamePerson(row.parts.peer, person)
      }),
    )
  }

  const unsubscribes = [
    subscribeToChanges(database.messages, ({ documents }) =>
      concern(documents.map((message: MessageDocument) => message.peerId)),
    ),
    subscribeToChanges(database.conversations, ({ documents }) =>
      concern(documents.map(({ _id }) => _id)),
    ),
    subscribeToTable(database.device.people, {
      onRows(people) {
        told.times += 1
        told.people = new Map(people.map((person) => [person._id, person]))
        concernChanged(told.people.keys())
      },
      onError,
    }),
  ]

  const ready = readAll()

  return {
    conversations,
    ready,
    close() {
      for (const unsubscribe of unsubscribes) unsubscribe()
      refresher.close()
      muteEnds.close()
    },
  }
}

/** An equal record keeps its object identity, so that its row does not change. */
function samePerson(before: KnownPerson | undefined, now: KnownPerson | undefined) {
  return isSamePerson(before, now) ? before : now
}

function isSamePerson(before: KnownPerson | undefined, now: KnownPerson | undefined): boolean {
  return before === now || JSON.stringify(before) === JSON.stringify(now)
}
