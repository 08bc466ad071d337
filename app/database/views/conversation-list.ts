import { type ConversationDocument, isMutedAt } from '../../../schema/conversation.ts'
import { createDeferred } from '../../../schema/helpers/deferred.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { ownerOf, subscribeToChanges } from '../storage/collections.ts'
import {
  findFailedPlaces,
  findNewestMessage,
  findNewestPending,
} from '../storage/find-newest-message.ts'
import type { KeyValueStorage } from '../storage/key-value-storage.ts'
import type { KnownPeer, KnownPerson } from '../storage/known-peer.ts'
import type { PetrelDatabase } from '../storage/open-database.ts'
import { subscribeToTable } from '../storage/open-device-store.ts'
import { readDocuments } from '../storage/read-documents.ts'
import { fromStoredConversation } from '../storage/stored-conversation.ts'
import {
  areRowPartsEqual,
  type ConversationRow,
  compareRows,
  isRowShown,
  makeRow,
  type RowParts,
} from './conversation-row.ts'
import { createLiveValue, type LiveValue } from './live-value.ts'
import { countUnread, listMentions, readConversations } from './read-conversations.ts'
import { createRefresher } from './refresher.ts'

/** A sleeping device's timers stand still, and its clock may be set: look this often at the latest. */
const lookEveryMs = 60_000

/** More than any screen shows. */
const topCount = 40
/** How long after those on top the others are read, and how many together. */
const [awaitedAfterMs, awaitedAtOnce] = [500, 50]

interface ConversationList {
  conversations: LiveValue<readonly ConversationRow[]>
  /** The rows are there, those on top of a long list with their messages. */
  ready: Promise<void>
  /** All rows have their messages. */
  whole: Promise<void>
  close(): void
}

/**
 * The conversation list, joined from conversations, their newest messages, unread counts and
 * people. Of a long list those are read first that stood on top last time: hundreds of others do not delay the start.
 * After the first read, only conversations affected by a write are reread.
 */
export function createConversationList(options: {
  database: PetrelDatabase
  onError: (cause: unknown) => void
  /** The server's time, epoch ms. */
  now?: () => number
  /** Where it is remembered which conversations stood on top. */
  top?: TopPlace
}): ConversationList {
  const { database, onError, now = Date.now } = options
  const top = rememberTop(options.top)
  /** Those whose first read is still to come. */
  const awaited = new Set<string>()
  const whole = createDeferred<void>()
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
    const unreadCount = await countUnread(database.messages, { conversation, newest })
    const isGroup = database.groups.has(peerId)
    const seenUpTo = Math.max(conversation.readUpTo, conversation.clearedUpTo)
    return {
      conversation,
      peer: database.groups.get(peerId) ?? known.people.get(peerId),
      lastMessage: newest && newest.orderedAt > conversation.clearedUpTo ? newest : undefined,
      unreadCount,
      mentions:
        isGroup && unreadCount > 0
          ? await listMentions(database.messages, { peerId, above: seenUpTo })
          : [],
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

  /** What is known of them without their messages: how many there are, who they are with, what is archived. */
  async function keepAwaited(found: readonly ConversationDocument[]) {
    if (found.length === 0) return
    const people = await readPeople(found.map(({ _id }) => _id))
    for (const conversation of found) {
      keepRow({
        conversation,
        peer: database.groups.get(conversation._id) ?? people.get(conversation._id),
        lastMessage: undefined,
        unreadCount: 0,
        mentions: [],
        hasFailed: false,
        isMuted: isMutedAt(conversation, now()),
        isAwaited: true,
      })
    }
  }

  async function readAll() {
    const found = await readConversations(database.conversations)
    const isFirst = top.choose(found)
    for (const { _id } of found) if (!isFirst(_id)) awaited.add(_id)
    const first = found.filter(({ _id }) => isFirst(_id))
    await keepAwaited(found.filter(({ _id }) => awaited.has(_id)))
    await readRows(first, await findNewestPending(database.messages))
    if (awaited.size === 0) whole.resolve()
  }

  function keepRow(parts: RowParts) {
    const peerId = parts.conversation._id
    const before = rows.get(peerId)
    const peer = samePeer(before?.parts.peer, parts.peer)
    const current = { ...parts, peer }
    if (before && areRowPartsEqual(before.parts, current)) return
    rows.set(peerId, { parts: current, row: makeRow(current, ownerOf(database.messages)) })
  }

  function publish() {
    const shown = [...rows.values()].filter(({ parts }) => isRowShown(parts))
    const next = shown.map(({ row }) => row).sort(compareRows)
    const before = conversations.getSnapshot()
    const isSame = next.length === before.length && next.every((row, i) => row === before[i])
    if (!isSame) conversations.set(next)
    if (awaited.size === 0) top.keep(next)
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
      // All that is being read at first may be older than what another tab writes meanwhile.
      await ready.catch(() => {})
      const peerIds = [...concerned]
      concerned.clear()
      try {
        const found = await readDocuments(database.conversations, peerIds)
        await readRows([...found.values()].map(fromStoredConversation), new Map())
        settleAwaited(peerIds)
      } catch (cause) {
        for (const peerId of peerIds) concerned.add(peerId)
        throw cause
      }
    },
  })

  function settleAwaited(peerIds: readonly string[]) {
    if (awaited.size === 0) return
    for (const peerId of peerIds) awaited.delete(peerId)
    if (awaited.size > 0) return
    top.keep(conversations.getSnapshot())
    whole.resolve()
  }

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
        const isPersons = row && person && !row.parts.peer?.isGroup
        return isPersons && !isSamePeer(row.parts.peer, person)
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
    database.groups.onChange((groupIds) => concern(groupIds.filter((id) => rows.has(id)))),
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
  let resting: ReturnType<typeof setTimeout> | undefined
  /** Some at a time, and not at once: whoever opens a chat reads that first. */
  async function readAwaited() {
    const peerIds = [...awaited]
    for (let at = 0; at < peerIds.length; at += awaitedAtOnce) {
      concern(peerIds.slice(at, at + awaitedAtOnce))
      await refresher.refresh()
    }
  }
  ready.then(
    () => {
      if (awaited.size > 0) resting = setTimeout(() => void readAwaited(), awaitedAfterMs)
    },
    () => {},
  )

  return {
    conversations,
    ready,
    whole: whole.promise,
    close() {
      clearTimeout(resting)
      for (const unsubscribe of unsubscribes) unsubscribe()
      refresher.close()
      muteEnds.close()
    },
  }
}

/** `key` names the person: it goes with them. */
interface TopPlace {
  texts: KeyValueStorage | undefined
  key: string
}

/** Which conversations stood on top, from one start to the next. Ids only: what they show is always read. */
function rememberTop({ texts, key }: TopPlace = { texts: undefined, key: '' }) {
  const separator = ' '
  let kept = new Set(texts?.getItem(key)?.split(separator))
  return {
    /** Which of these to read first: all, where they are few or where too little is remembered. */
    choose(found: readonly ConversationDocument[]): (peerId: string) => boolean {
      const known = found.filter(({ _id }) => kept.has(_id)).length
      const isWorthIt = found.length > 2 * topCount && known > topCount / 2
      return isWorthIt ? (peerId) => kept.has(peerId) : () => true
    },
    keep(rows: readonly ConversationRow[]) {
      const shown = rows.filter(({ isArchived }) => !isArchived).slice(0, topCount)
      // Their order changes with every message, who they are seldom.
      if (shown.length === kept.size && shown.every(({ peerId }) => kept.has(peerId))) return
      kept = new Set(shown.map(({ peerId }) => peerId))
      try {
        texts?.setItem(key, [...kept].join(separator))
      } catch {
        // On a full device the next start reads all at once.
      }
    },
  }
}

/** An equal record keeps its object identity, so that its row does not change. */
function samePeer(before: KnownPeer | undefined, now: KnownPeer | undefined) {
  return isSamePeer(before, now) ? before : now
}

function isSamePeer(before: KnownPeer | undefined, now: KnownPeer | undefined): boolean {
  return before === now || JSON.stringify(before) === JSON.stringify(now)
}

/**
 * Calls back when a conversation's muting ends. Without one that ends, no timer runs.
 * @param listEnds when the present mutings end, epoch ms
 */
function createMuteEnds(options: {
  now: () => number
  listEnds: () => readonly number[]
  onEnd: () => void
}) {
  const { now, listEnds, onEnd } = options
  let timer: ReturnType<typeof setTimeout> | undefined

  function follow() {
    clearTimeout(timer)
    const next = Math.min(...listEnds())
    if (next === Number.POSITIVE_INFINITY) return
    timer = setTimeout(look, Math.min(Math.max(next - now(), 0), lookEveryMs))
  }

  function look() {
    if (listEnds().some((end) => end <= now())) onEnd()
    else follow()
  }

  return {
    /** The mutings have changed. */
    follow,
    close: () => clearTimeout(timer),
  }
}
