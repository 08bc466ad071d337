import { areMessagesEqual } from '../../../schema/merge-messages.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { PetrelDatabase } from '../storage/open-database.ts'
import { readDocuments } from '../storage/read-documents.ts'
import { fromStoredMessage, type StoredMessage } from '../storage/stored-message.ts'
import { subscribeToChanges } from '../storage/subscribe-to-changes.ts'
import { createLiveValue, type LiveValue } from './live-value.ts'
import { readMessagePage } from './read-message-page.ts'

/** The wanted messages of a conversation that have been found so far, oldest first. Deleted ones are not among them. */
export interface SiftedWindow {
  items: readonly MessageDocument[]
  /** Is there a part of the conversation before, or after, what was looked through? */
  hasOlder: boolean
  hasNewer: boolean
  isReading: boolean
}

export interface SiftedView {
  found: LiveValue<SiftedWindow>
  /** Looks through what lies before, page by page, until enough is found or nothing is left. */
  loadOlder(): Promise<void>
  loadNewer(): Promise<void>
  close(): void
}

export interface SiftOptions {
  isWanted: (message: MessageDocument) => boolean
  /** The message to begin at; the newest of the conversation without it. */
  aroundId?: string
  /** As many found at once are enough. */
  enough: number
}

/** The messages that are read at once. */
const pageSize = 200

/** How far one end has been read: up to a place, and with these messages at it. Closed when nothing lies beyond. */
interface End {
  isOpen: boolean
  place: number | undefined
  atPlace: ReadonlySet<string>
  isLoading: boolean
}

/**
 * The messages of a conversation that somebody wants, such as its pictures. No index knows them, so it reads along that of
 * the places, a page at a time, only as far as is asked for, and lets the screen draw between two pages.
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
  /** Writes that come while a page is being read: the page may be older than they are. */
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
      // Nothing found before it has begun says nothing of what there is.
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

  /** Has its place been read past already? What has not is found when it is read. */
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

  /** Steps run one after the other, those of both ends by turns. */
  function step<T>(read: () => Promise<T>): Promise<T> {
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

  /** Looks through the next page beyond an end; gives how many it found. */
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
        count += await step(() => readPage(end))
        await giveWay()
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
    // What is not there has no neighbours: all begins at the newest.
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

  step(begin)
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

function giveWay(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

function byPlace(a: MessageDocument, b: MessageDocument): number {
  return a.orderedAt - b.orderedAt || (a._id < b._id ? -1 : 1)
}
