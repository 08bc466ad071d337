import { v7 as createId } from 'uuid'
import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import type { TabSlot } from '../database/drafts/tab-slot.ts'
import {
  type DeviceStore,
  type StoredWithheld,
  subscribeToTable,
  type WithheldChange,
} from '../database/storage/open-device-store.ts'
import type { RequestEntry } from '../database/storage/queued-request.ts'
import { createLiveValue, type LiveValue } from '../database/views/live-value.ts'
import type { MessengerCommands } from './messenger-commands.ts'
import type { Page } from './platform/platform.ts'
import type { Requests } from './requests/requests.ts'
import type { Withheld } from './withheld.ts'

/** The last action, or its failure: undoable as long as it is shown. */
export interface Offer {
  id: string
  words: string
  canUndo: boolean
  /** The chat whose messages it is about: shown there as long as that chat is open. */
  peerId?: string
  /** The chat that counts as read while the offer stands. */
  readsPeerId?: string
}

export interface Undo {
  /** One at a time: a new offer ends the previous one. */
  offer: LiveValue<Offer | undefined>
  /** The person is looking at the offer: pauses its time meanwhile. */
  hold(isHeld: boolean): void
  undo(): Promise<void>
  /**
   * Deletes a message, or discards an unsent one. Hides it immediately, writes when the offer ends.
   * Rejects, as the others do, when the device cannot note it.
   */
  removeMessage(message: MessageDocument): Promise<void>
  /** Deletes messages for this person alone; returns those that this device could not delete. */
  hideMessages(messages: readonly MessageDocument[]): Promise<MessageDocument[]>
  clearConversation(peerId: string): Promise<void>
  setArchived(peerId: string, isArchived: boolean): Promise<void>
  setPinned(peerId: string, isPinned: boolean): Promise<void>
  /** Others hear of it when the offer ends. */
  markRead(peerId: string): void
  /** Drops a queued request; undoing queues it again. */
  removeRequest(entry: RequestEntry): Promise<void>
}

const offeredMs = 5_000

interface Standing {
  offer: Offer
  takeBack: () => Promise<unknown>
  /** Called unless the person undid it. */
  finish: () => Promise<void>
}

/**
 * Actions that a person may undo for a few seconds. An irreversible change is withheld: noted on
 * the device, shown as done, and written when its time ends, the page is hidden, or a later start
 * finds a closed tab's note.
 */
export async function createUndo(options: {
  table: DeviceStore['withheld']
  slot: TabSlot
  commands: MessengerCommands
  /** How far a conversation is cleared by now. */
  findClearPlace: (peerId: string) => Promise<number>
  apply: (change: WithheldChange) => Promise<void>
  requests: Pick<Requests, 'add' | 'discard'>
  page: Page
  now: () => number
  onError: (cause: unknown) => void
}): Promise<
  Undo & {
    withheld: LiveValue<Withheld>
    /** Writes all withheld changes: a person who leaves has no time to undo. */
    finish(): Promise<void>
    close(): Promise<void>
  }
> {
  const { table, slot, commands, apply, page, now, onError } = options
  const offer = createLiveValue<Offer | undefined>(undefined)
  const withheld = createLiveValue<Withheld>({ deleted: new Map(), cleared: new Map() })
  /** This tab's withheld changes, including written ones: the screen may lag a moment. */
  const own = new Map<string, StoredWithheld>()
  let noted: readonly StoredWithheld[] = await table.toArray()
  let standing: Standing | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const time = { leftMs: 0, since: 0, isHeld: false }
  const ending = new Set<Promise<unknown>>()
  /** Slots of other tabs with notes, which this tab writes once such a tab is gone. */
  const awaited = new Set<number>()
  const closing = new AbortController()

  function publish() {
    const all = [...noted, ...own.values()]
    const deleted = new Map<string, number>()
    const cleared = new Map<string, number>()
    for (const { change, at } of all) {
      if (change.kind === 'delete') deleted.set(change.messageId, at)
      else cleared.set(change.peerId, Math.max(change.upTo, cleared.get(change.peerId) ?? 0))
    }
    const { deleted: before, cleared: clearedBefore } = withheld.getSnapshot()
    if (isSame(before, deleted) && isSame(clearedBefore, cleared)) return
    withheld.set({ deleted, cleared })
  }

  function run() {
    time.since = performance.now()
    if (!time.isHeld && standing) timer = setTimeout(end, time.leftMs)
  }

  function pause() {
    clearTimeout(timer)
    time.leftMs -= performance.now() - time.since
  }

  function drop(): Standing | undefined {
    clearTimeout(timer)
    const dropped = standing
    standing = undefined
    offer.set(undefined)
    return dropped
  }

  function stand(next: Standing) {
    end()
    standing = next
    offer.set(next.offer)
    time.leftMs = offeredMs
    run()
  }

  /**
   * The offer ends: write what it withheld. After leaving no one sees an error, so the change stays
   * owed.
   */
  function end({ isLeft = false } = {}) {
    const over = drop()
    if (!over) return
    const finishing = over.finish().catch(async (cause: unknown) => {
      onError(cause)
      if (isLeft) return
      await over.takeBack().catch(onError)
      tell("That couldn't be saved on this device. Please try again.")
    })
    keepUntilDone(finishing)
  }

  function keepUntilDone(work: Promise<unknown>) {
    ending.add(work)
    void work.finally(() => ending.delete(work))
  }

  /** A message without an undo offer. */
  function tell(words: string) {
    if (standing) return
    standing = {
      offer: { id: createId(), words, canUndo: false },
      takeBack: async () => {},
      finish: async () => {},
    }
    offer.set(standing.offer)
    time.leftMs = offeredMs
    run()
  }

  async function forget(entry: StoredWithheld) {
    own.delete(entry._id)
    noted = noted.filter(({ _id }) => _id !== entry._id)
    publish()
    await table.delete(entry._id)
  }

  async function write(entry: StoredWithheld) {
    await apply(entry.change)
    await table.delete(entry._id)
  }

  async function withhold(change: WithheldChange, about: Pick<Offer, 'words' | 'peerId'>) {
    const entry: StoredWithheld = { _id: createId(), slot: slot.number, at: now(), change }
    own.set(entry._id, entry)
    publish()
    stand({
      offer: { ...about, id: entry._id, canUndo: true },
      takeBack: () => forget(entry),
      finish: () => write(entry),
    })
    try {
      await table.put(entry)
    } catch (cause) {
      // A device that cannot note the change could not write it either.
      if (standing?.offer.id === entry._id) drop()
      own.delete(entry._id)
      publish()
      throw cause
    }
  }

  /** Notes that this tab, or an earlier one with its slot, could not write. */
  async function finishOwed() {
    const entries = await table.toArray()
    for (const entry of entries) {
      if (entry.slot === slot.number && entry._id !== standing?.offer.id) await write(entry)
    }
    awaitTabs(entries)
  }

  function awaitTabs(entries: readonly StoredWithheld[]) {
    for (const { slot: number } of entries) {
      if (number === slot.number || awaited.has(number)) continue
      awaited.add(number)
      const finish = () => {
        awaited.delete(number)
        const finishing = finishTab(number).catch(onError)
        keepUntilDone(finishing)
        return finishing
      }
      slot.whenFree(number, finish, closing.signal).catch(onError)
    }
  }

  async function finishTab(number: number) {
    for (const entry of await table.toArray()) {
      if (entry.slot === number) await write(entry)
    }
  }

  publish()
  let owed = finishOwed().catch(onError)
  const unsubscribes = [
    subscribeToTable(table, {
      onRows(rows) {
        noted = rows
        publish()
        awaitTabs(rows)
      },
      onError,
    }),
    page.subscribe((event) => {
      if (event === 'back') end({ isLeft: true })
      if (event === 'front') owed = owed.then(finishOwed).catch(onError)
    }),
  ]

  return {
    offer,
    withheld,
    hold(isHeld) {
      if (time.isHeld === isHeld) return
      if (isHeld) pause()
      time.isHeld = isHeld
      if (!isHeld) run()
    },
    async undo() {
      const taken = drop()
      time.isHeld = false
      await taken?.takeBack()
    },
    async removeMessage(message) {
      const { _id, peerId, content, replyTo, status, type } = message
      if (status !== 'sending' || type !== 'text') {
        const words = isAccepted(message) ? 'Message deleted' : 'Message discarded'
        return await withhold({ kind: 'delete', messageId: _id }, { words, peerId })
      }
      // The message may be sent any moment: withdraw it now; an undo writes it again.
      const isDiscarded = await commands.discardMessage(_id)
      if (!isDiscarded) {
        const about = { words: 'Message deleted', peerId }
        return await withhold({ kind: 'delete', messageId: _id }, about)
      }
      const again = { peerId, content, keepsDraft: true, ...(replyTo && { replyTo }) }
      stand({
        offer: { ...makeOffer('Message discarded'), peerId },
        takeBack: () => commands.sendMessage(again),
        finish: async () => {},
      })
    },
    async hideMessages(messages) {
      const set = (some: readonly MessageDocument[], isHidden: boolean) =>
        Promise.allSettled(some.map(({ _id }) => commands.setHidden(_id, isHidden)))
      const outcomes = await set(messages, true)
      const failed = messages.filter((_, at) => outcomes[at]?.status === 'rejected')
      const hidden = messages.filter((message) => !failed.includes(message))
      const [first] = hidden
      if (!first) return failed
      const words = hidden.length > 1 ? `${hidden.length} messages deleted` : 'Message deleted'
      stand({
        offer: { ...makeOffer(`${words} for you`), peerId: first.peerId },
        takeBack: () => set(hidden, false),
        finish: async () => {},
      })
      return failed
    },
    async clearConversation(peerId) {
      const upTo = await options.findClearPlace(peerId)
      await withhold({ kind: 'clear', peerId, upTo }, { words: 'Chat deleted' })
    },
    async setArchived(peerId, isArchived) {
      await commands.setArchived(peerId, isArchived)
      stand({
        offer: makeOffer(isArchived ? 'Chat archived' : 'Chat unarchived'),
        takeBack: () => commands.setArchived(peerId, !isArchived),
        finish: async () => {},
      })
    },
    async setPinned(peerId, isPinned) {
      await commands.setPinned(peerId, isPinned)
      stand({
        offer: makeOffer(isPinned ? 'Chat pinned' : 'Chat unpinned'),
        takeBack: () => commands.setPinned(peerId, !isPinned),
        finish: async () => {},
      })
    },
    markRead(peerId) {
      stand({
        offer: { ...makeOffer('Marked as read'), readsPeerId: peerId },
        takeBack: async () => {},
        finish: () => commands.markRead(peerId),
      })
    },
    async removeRequest({ _id, request }) {
      await options.requests.discard(_id)
      stand({
        offer: makeOffer('Request discarded'),
        takeBack: () => options.requests.add(request),
        finish: async () => {},
      })
    },
    async finish() {
      end()
      await Promise.all(ending)
    },
    async close() {
      closing.abort()
      for (const unsubscribe of unsubscribes) unsubscribe()
      end({ isLeft: true })
      await Promise.all([owed, ...ending])
    },
  }
}

function makeOffer(words: string): Offer {
  return { id: createId(), words, canUndo: true }
}

function isSame(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value)
}
