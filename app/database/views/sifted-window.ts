import { areMessagesEqual } from '../../../schema/merge-messages.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { subscribeToChanges } from '../storage/collections.ts'
import type { PetrelDatabase } from '../storage/open-database.ts'
import { readDocuments } from '../storage/read-documents.ts'
import { fromStoredMessage, type StoredMessage } from '../storage/stored-message.ts'
import { createLiveValue, type LiveValue, yieldToBrowser } from './live-value.ts'
import { readMessagePage } from './read-message-page.ts'

/** The matching messages of a conversation found so far, oldest first, without deleted ones. */
export interface SiftedWindow {
  items: readonly MessageDocument[]
  /** Does part of the conversation lie before, or after, the searched range? */
  hasOlder: boolean
  hasNewer: boolean
  isReading: boolean
}

export interface SiftedView {
  found: LiveValue<SiftedWindow>
  /** Searches backwards page by page until it finds enough or reaches the start. */
  loadOlder(): Promise<void>
  loadNewer(): Promise<void>
  close(): void
}

export interface SiftOptions {
  isWanted: (message: MessageDocument) => boolean
  /** The message to start at; the conversation's newest by default. */
  aroundId?: string
  /** This many matches per step are enough. */
  enough: number
}

/** Messages per page. */
const pageSize = 200

/**
 * How far one end was read: up to a place, and with these messages at it. Closed when nothing lies
 * beyond.
 */
interface End {
  isOpen: boolean
  place: number | undefined
  atPlace: ReadonlySet<string>
  isLoading: boolean
}

/**
 * A conversation's messages that match a filter, such as pictures. No index covers them, so it
 * reads along the place index, page by page, only as far as requested, and lets the screen draw in
 * between.
 */
export function createSiftedWindow(
  options: SiftOptions & {
    database: PetrelDatabase
    peerId: string
    onError: (cause: unknown) => void
  },
): SiftedView {
  const { database, peerId, isWanted, aroundId, enough, onError } = options
  const loaded = new Map<string, MessageDocument>()
  const older: End = { isOpen: true, place: undefined, atPlace: new Set(), isLoading: false }
  const newer: End = { ...older, isOpen: aroundId !== undefined }
  /** Writes that arrive during a page read: the page may be older. */
  const duringRead: StoredMessage[] = []
  const state = { clearedUpTo: 0, hasBegun: false, isReading: false, isClosed: false }
  let steps: Promise<unknown> = Promise.resolve()
  const found = createLiveValue<SiftedWindow>({
    items: [],
    hasOlder: true,
    hasNewer: newer.isOpen,
    isReading: true,
  })

  function publish() {
    const before = found.getSnapshot()
    const items = [...loaded.values()].sort(byPlace)
    const isSame =
      items.length === before.items.length && items.every((item, at) => item === before.items[at])
    const now = {
      items: isSame ? before.items : items,
      hasOlder: older.isOpen,
      hasNewer: newer.isOpen,
      // Before the first step, an empty result means nothing.
      isReading: !state.hasBegun || older.isLoading || newer.isLoading,
    }
    const areFlagsSame =
      now.hasOlder === before.hasOlder &&
      now.hasNewer === before.hasNewer &&
      now.isReading === before.isReading
    if (!isSame || !areFlagsSame) found.set(now)
  }

  function isFitting(stored: StoredMessage): boolean {
    const isHere = stored.shelf === peerId && stored.orderedAt > state.clearedUpTo
    return isHere && stored.deletedAt === undefined && isWanted(fromStoredMessage(stored))
  }

  function take(stored: StoredMessage) {
    if (!isFitting(stored)) return void loaded.delete(stored._id)
    const message = fromStoredMessage(stored)
    const before = loaded.get(message._id)
    if (!before || !areMessagesEqual(before, message)) loaded.set(message._id, message)
  }

  /** Has reading passed its place? If not, a later page finds it. */
  function isWithin({ orderedAt }: StoredMessage): boolean {
    const isBelow = older.isOpen && (older.place === undefined || orderedAt < older.place)
    const isAbove = newer.isOpen && (newer.place === undefined || orderedAt > newer.place)
    return !isBelow && !isAbove
  }

  function follow(stored: StoredMessage) {
    if (loaded.has(stored._id) || isWithin(stored)) take(stored)
  }

  function clear(upTo: number) {
    if (upTo <= state.clearedUpTo) return
    state.clearedUpTo = upTo
    for (const { _id, orderedAt } of loaded.values()) if (orderedAt <= upTo) loaded.delete(_id)
  }

  /** Steps run one after the other, alternating between the two ends. */
  function enqueue<T>(read: () => Promise<T>): Promise<T> {
    const run = steps.then(async () => {
      state.isReading = true
      try {
        return await read()
      } finally {
        state.isReading = false
        for (const stored of duringRead.splice(0)) follow(stored)
      }
    })
    steps = run.catch(() => {})
    return run
  }

  function findStart(end: End) {
    const { place } = end
    if (place === undefined) return 'newest'
    return end === older ? { olderThan: place } : { newerThan: place }
  }

  /** Searches the next page beyond an end; returns the number of matches. */
  async function readPage(end: End): Promise<number> {
    const limit = pageSize + end.atPlace.size
    const { place } = end
    const before = loaded.size
    const { clearedUpTo } = state
    const from = findStart(end)
    const page = await readMessagePage(database.messages, { peerId, from, clearedUpTo, limit })
    for (const stored of page) take(stored)
    const last = page.at(-1)?.orderedAt
    end.isOpen = page.length === limit
    end.place = last ?? place
    end.atPlace = new Set(page.flatMap((each) => (each.orderedAt === last ? [each._id] : [])))
    return loaded.size - before
  }

  async function load(end: End): Promise<void> {
    if (end.isLoading) return
    end.isLoading = true
    let count = 0
    try {
      while (end.isOpen && !state.isClosed && count < enough) {
        publish()
        count += await enqueue(() => readPage(end))
        await yieldToBrowser()
      }
    } catch (cause) {
      if (!state.isClosed) onError(cause)
    } finally {
      end.isLoading = false
      publish()
    }
  }

  async function begin() {
    const conversations = await readDocuments(database.conversations, [peerId])
    clear(conversations.get(peerId)?.clearedUpTo ?? 0)
    if (aroundId === undefined) return
    const target = (await readDocuments(database.messages, [aroundId])).get(aroundId)
    // A missing message has no neighbours: start over at the newest.
    newer.isOpen = target !== undefined
    if (!target) return
    older.place = target.orderedAt
    newer.place = target.orderedAt
    take(target)
  }

  const unsubscribes = [
    subscribeToChanges(database.messages, ({ documents }) => {
      if (state.isReading) return void duringRead.push(...documents)
      for (const stored of documents) follow(stored)
      publish()
    }),
    subscribeToChanges(database.conversations, ({ documents }) => {
      for (const { _id, clearedUpTo } of documents) if (_id === peerId) clear(clearedUpTo)
      publish()
    }),
  ]

  enqueue(begin)
    .catch(onError)
    .then(() => {
      state.hasBegun = true
      return Promise.all([load(older), load(newer)])
    })
    .catch(onError)

  return {
    found,
    loadOlder: () => load(older),
    loadNewer: () => load(newer),
    close() {
      state.isClosed = true
      for (const unsubscribe of unsubscribes) unsubscribe()
    },
  }
}

function byPlace(a: MessageDocument, b: MessageDocument): number {
  return a.orderedAt - b.orderedAt || (a._id < b._id ? -1 : 1)
}
