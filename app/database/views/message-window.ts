import type { ConversationDocument } from '../../../schema/conversation.ts'
import { areMessagesEqual } from '../../../schema/merge-messages.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { ownerOf, subscribeToChanges } from '../storage/collections.ts'
import type { PetrelDatabase } from '../storage/open-database.ts'
import { readDocuments } from '../storage/read-documents.ts'
import { fromStoredConversation } from '../storage/stored-conversation.ts'
import { fromStoredMessage, type StoredMessage } from '../storage/stored-message.ts'
import { createLiveValue, type LiveValue, yieldToBrowser } from './live-value.ts'
import { showMessage } from './message-values.ts'
import { findFirstUnread, type PageRequest, readMessagePage } from './read-message-page.ts'
import { createReading, type ReadingState, type VisibleRange } from './reading.ts'
import { createRefresher } from './refresher.ts'

/**
 * The loaded part of a conversation, oldest first, without discarded and cleared messages. Pending
 * messages come last: their place is their writing time, and others may get later ones.
 */
export interface MessageWindow extends ReadingState {
  /** An unchanged message keeps its object identity from one window to the next. */
  items: readonly MessageDocument[]
  hasOlder: boolean
  hasNewer: boolean
  /** False until the first page has been read. */
  isLoaded: boolean
  /** Reading the first page has failed; it is tried again. */
  hasFailed: boolean
}

export interface ConversationView {
  messages: LiveValue<MessageWindow>
  loadOlder(): Promise<void>
  loadNewer(): Promise<void>
  /** Moves the window so that it contains this message; false if the device does not have it. */
  jumpTo(messageId: string): Promise<boolean>
  jumpToNewest(): Promise<void>
  /**
   * Moves the window to the first message ordered at `time` (epoch ms) or later; returns its id.
   */
  jumpToTime(time: number): Promise<string | undefined>
  /** Reports what is visible; call it again on each change. Initially nothing is. */
  setVisibleRange(sight: VisibleRange): void
  /** Removes the unread line: replying implies reading. */
  dismissUnreadLine(): void
  close(): void
}

const pageSize = 50
/** Beyond this many, loading at one end drops messages at the other: bounds the memory. */
const windowSize = 300

/**
 * A window over one conversation that pages by key along the index, so opening and paging cost the
 * same at 100,000 messages as at 100. It follows every write to the collection, from any tab.
 */
export function createMessageWindow(options: {
  database: PetrelDatabase
  peerId: string
  /** Start at the first unread message, if any, instead of the newest? */
  startsAtUnread?: boolean
  /** Start at this message, if the device has it, even when there are unread ones? */
  startsAtId?: string | undefined
  /** How far the screens hide it as cleared while that can be undone: no jump leads there. */
  hiddenUpTo?: () => number
  onError: (cause: unknown) => void
}): ConversationView {
  const { database, peerId, hiddenUpTo = () => 0, onError } = options
  const ownerId = ownerOf(database.messages)
  const loaded = new Map<string, MessageDocument>()
  /** The published form of each message with its inputs: equal inputs reuse the object. */
  const shown = new WeakMap<MessageDocument, MessageDocument>()
  const state = { hasOlder: false, hasNewer: false, isLoaded: false, hasFailed: false }
  const marks = { clearedUpTo: 0, readUpTo: 0 }
  const peer: { marks: ConversationDocument | undefined } = { marks: undefined }
  /** Writes that arrive during a page read: the page may be older. */
  const duringRead: StoredMessage[] = []
  let isReading = false
  let steps: Promise<unknown> = Promise.resolve()
  const messages = createLiveValue<MessageWindow>({
    items: [],
    hasOlder: false,
    hasNewer: false,
    isLoaded: false,
    hasFailed: false,
    unseenCount: 0,
    unseenMentions: [],
  })
  const reading = createReading({
    messages: database.messages,
    peerId,
    canMention: () => database.groups.has(peerId),
    // A partial read is published once it is complete.
    onChange: () => (isReading ? undefined : publish()),
    onError,
  })

  function publish() {
    const items = [...loaded.values()].sort(state.hasNewer ? byPlace : waitingLast).map(show)
    const before = messages.getSnapshot()
    const areItemsSame =
      items.length === before.items.length && items.every((item, i) => item === before.items[i])
    const next = {
      ...state,
      ...reading.state,
      items: areItemsSame ? before.items : items,
    }
    if (!areWindowsSame(before, next)) messages.set(next)
  }

  function show(message: MessageDocument): MessageDocument {
    const before = shown.get(message) ?? message
    const now = showMessage(message, peer.marks, ownerId)
    if (now.status === before.status) return before
    shown.set(message, now)
    return now
  }

  function isShown(stored: StoredMessage): boolean {
    return stored.shelf === peerId && stored.orderedAt > marks.clearedUpTo
  }

  function isHidden({ orderedAt }: Pick<MessageDocument, 'orderedAt'>): boolean {
    return orderedAt <= hiddenUpTo()
  }

  async function findShown(messageId: string | undefined): Promise<StoredMessage | undefined> {
    if (messageId === undefined) return undefined
    const stored = (await readDocuments(database.messages, [messageId])).get(messageId)
    return stored && isShown(stored) && !isHidden(stored) ? stored : undefined
  }

  function put(stored: StoredMessage) {
    const message = fromStoredMessage(stored)
    const before = loaded.get(message._id)
    if (!before || !areMessagesEqual(before, message)) loaded.set(message._id, message)
  }

  /** Does an unloaded message belong inside the window, or at an open end? */
  function isWithin(stored: StoredMessage): boolean {
    const { items } = messages.getSnapshot()
    const [oldest, newest] = [items.at(0), items.at(-1)]
    if (!oldest || !newest) return !state.hasOlder && !state.hasNewer
    if (byPlace(stored, oldest) < 0) return !state.hasOlder
    return byPlace(stored, newest) < 0 || !state.hasNewer
  }

  function follow(stored: StoredMessage) {
    if (stored.peerId !== peerId && !loaded.has(stored._id)) return
    if (!isShown(stored)) loaded.delete(stored._id)
    else {
      if (loaded.has(stored._id) || isWithin(stored)) put(stored)
      reading.follow(stored, marks.readUpTo)
    }
  }

  /**
   * Steps run one after the other; each reads pages, then applies the writes that arrived
   * meanwhile.
   */
  function enqueue<T>(read: () => Promise<T>): Promise<T> {
    const run = steps.then(async () => {
      isReading = true
      try {
        return await read()
      } finally {
        isReading = false
        publish()
        for (const stored of duringRead.splice(0)) follow(stored)
        publish()
      }
    })
    steps = run.catch(() => {})
    return run
  }

  /** Loads the next page from a place; true if more lies beyond it. */
  async function readPage(from: PageRequest['from']): Promise<boolean> {
    const known = [...loaded.values()].filter((message) => liesBehind(message, from)).length
    const limit = pageSize + 1 + known
    const { clearedUpTo } = marks
    const page = await readMessagePage(database.messages, { peerId, from, clearedUpTo, limit })
    const fresh = page.filter(({ _id }) => !loaded.has(_id))
    for (const stored of fresh.slice(0, pageSize)) put(stored)
    return fresh.length > pageSize
  }

  function trim(end: 'oldest' | 'newest') {
    const surplus = loaded.size - windowSize
    if (surplus <= 0) return
    const items = [...loaded.values()].sort(end === 'oldest' ? waitingLast : byPlace)
    const leaving = end === 'oldest' ? items.slice(0, surplus) : items.slice(-surplus)
    for (const { _id } of leaving) loaded.delete(_id)
    if (end === 'oldest') state.hasOlder = true
    else state.hasNewer = true
  }

  async function readNewest() {
    loaded.clear()
    state.hasNewer = false
    state.hasOlder = await readPage('newest')
  }

  async function readAround(target: StoredMessage) {
    loaded.clear()
    put(target)
    state.hasOlder = await readPage({ olderThan: target.orderedAt })
    state.hasNewer = await readPage({ newerThan: target.orderedAt })
  }

  function setClearedUpTo(clearedUpTo: number) {
    if (clearedUpTo <= marks.clearedUpTo) return
    marks.clearedUpTo = clearedUpTo
    for (const message of loaded.values()) {
      if (message.orderedAt <= clearedUpTo) loaded.delete(message._id)
    }
    if (messages.getSnapshot().items.some((item) => item.orderedAt <= clearedUpTo)) {
      state.hasOlder = false
    }
    publish()
  }

  const unsubscribes = [
    subscribeToChanges(database.messages, ({ documents }) => {
      if (isReading) duringRead.push(...documents)
      else {
        for (const stored of documents) follow(stored)
        if (loaded.size > 2 * windowSize && !state.hasNewer) trim('oldest')
        publish()
      }
    }),
    subscribeToChanges(database.conversations, ({ documents }) => {
      for (const stored of documents) {
        if (stored._id !== peerId) continue
        const { clearedUpTo, readUpTo } = stored
        marks.readUpTo = Math.max(marks.readUpTo, readUpTo)
        peer.marks = fromStoredConversation(stored)
        setClearedUpTo(clearedUpTo)
        if (!isReading) publish()
      }
    }),
  ]

  async function readFirst() {
    if (state.isLoaded) return
    const conversations = await readDocuments(database.conversations, [peerId])
    const conversation = conversations.get(peerId)
    peer.marks ??= conversation && fromStoredConversation(conversation)
    setClearedUpTo(conversation?.clearedUpTo ?? 0)
    const readUpTo = Math.max(conversation?.readUpTo ?? 0, marks.clearedUpTo)
    marks.readUpTo = Math.max(marks.readUpTo, readUpTo)
    const seenUpTo = Math.max(readUpTo, hiddenUpTo())
    const firstUnread = options.startsAtUnread
      ? await findFirstUnread(database.messages, { peerId, readUpTo: seenUpTo })
      : undefined
    const start = (await findShown(options.startsAtId)) ?? firstUnread
    if (start) await readAround(start)
    else await readNewest()
    await reading.begin({ readUpTo: seenUpTo, firstUnread })
    state.isLoaded = true
    state.hasFailed = false
  }

  const opening = createRefresher({
    run: () => enqueue(readFirst),
    onError(cause) {
      state.hasFailed = true
      publish()
      onError(cause)
    },
  })
  void opening.refresh()

  return {
    messages,
    loadOlder: () =>
      enqueue(async () => {
        const oldest = messages.getSnapshot().items.at(0)
        if (!state.hasOlder || !oldest) return
        state.hasOlder = await readPage({ olderThan: oldest.orderedAt })
        await yieldToBrowser()
        trim('newest')
      }),
    loadNewer: () =>
      enqueue(async () => {
        const newest = messages.getSnapshot().items.at(-1)
        if (!state.hasNewer || !newest) return
        state.hasNewer = await readPage({ newerThan: newest.orderedAt })
        await yieldToBrowser()
        trim('oldest')
      }),
    jumpTo: (messageId) =>
      enqueue(async () => {
        // A first read that is repeated later would move the window away again.
        await readFirst()
        const here = loaded.get(messageId)
        if (here) return !isHidden(here)
        const target = await findShown(messageId)
        if (!target) return false
        await readAround(target)
        return true
      }),
    jumpToTime: (time) =>
      enqueue(async () => {
        await readFirst()
        const clearedUpTo = Math.max(marks.clearedUpTo, hiddenUpTo())
        const request = { peerId, from: { newerThan: time }, clearedUpTo, limit: 1 }
        const [target] = await readMessagePage(database.messages, request)
        if (target && !loaded.has(target._id)) await readAround(target)
        return target?._id
      }),
    jumpToNewest: () => enqueue(async () => (state.hasNewer ? await readNewest() : undefined)),
    setVisibleRange: reading.setVisibleRange,
    dismissUnreadLine: reading.dismissUnreadLine,
    close() {
      opening.close()
      reading.close()
      for (const unsubscribe of unsubscribes) unsubscribe()
    },
  }
}

function areWindowsSame(a: MessageWindow, b: MessageWindow): boolean {
  return (
    a.items === b.items &&
    a.hasOlder === b.hasOlder &&
    a.hasNewer === b.hasNewer &&
    a.isLoaded === b.isLoaded &&
    a.hasFailed === b.hasFailed &&
    a.firstUnreadId === b.firstUnreadId &&
    a.unseenCount === b.unseenCount &&
    a.unseenMentions === b.unseenMentions &&
    a.arrival === b.arrival
  )
}

/** Would a page from there include it? */
function liesBehind({ orderedAt }: MessageDocument, from: PageRequest['from']): boolean {
  if (from === 'newest') return false
  return 'newerThan' in from ? orderedAt >= from.newerThan : orderedAt <= from.olderThan
}

function waitingLast(a: MessageDocument, b: MessageDocument): number {
  return Number(isWaiting(a)) - Number(isWaiting(b)) || byPlace(a, b)
}

function isWaiting({ status }: MessageDocument): boolean {
  return status === 'sending'
}

function byPlace(
  a: Pick<MessageDocument, 'orderedAt' | '_id'>,
  b: Pick<MessageDocument, 'orderedAt' | '_id'>,
): number {
  return a.orderedAt - b.orderedAt || (a._id < b._id ? -1 : a._id > b._id ? 1 : 0)
}
