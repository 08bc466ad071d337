import { areValuesEqual } from '../../schema/helpers/equality.ts'
import { isUserGone } from '../api/api-error.ts'
import { changeDocuments } from '../database/storage/change-document.ts'
import { ownerOf, subscribeToChanges } from '../database/storage/collections.ts'
import type { PetrelDatabase } from '../database/storage/open-database.ts'
import { queryDocuments } from '../database/storage/read-documents.ts'
import {
  epochOrder,
  fromStoredMessage,
  lockedOrder,
  type StoredMessage,
  toStoredMessage,
} from '../database/storage/stored-message.ts'
import { isAnyLocked } from '../encryption/sealed-message.ts'
import { type BackOff, createBackOff } from './platform/back-off.ts'
import type { Platform } from './platform/platform.ts'

const atOnce = 200
/** A person whose words wait for a key is asked for no more often than that. */
const leastAskMs = 60_000
/** Nor less often: their next device may publish the key at any time. */
const longestAskMs = 5 * 60_000
/** Between tries to store what opens, on a disk in trouble. */
const reopenLongestMs = 10_000

/**
 * Opens messages whose key came after them: at the start, and whenever a key of either side
 * becomes known. Their sealed form stays as it is, so nothing is sent for it. Asks for the record
 * of a person whose words wait for a key, and again for as long as they wait: it may be published
 * after them. Returns the function that ends it.
 */
export function reopenMessages(options: {
  database: Pick<PetrelDatabase, 'messages' | 'sealing' | 'keyring' | 'peerKeys' | 'groups'>
  platform: Pick<Platform, 'page' | 'random'>
  /** Reads a person's record, with their keys, from the server. */
  askPerson: (userId: string) => Promise<unknown>
  onError: (cause: unknown) => void
  askEveryMs?: number
}): () => void {
  const { database, platform, askPerson, onError, askEveryMs = leastAskMs } = options
  const { messages, sealing, keyring, peerKeys, groups } = database
  const asking = new Map<string, BackOff>()
  const closing = new AbortController()
  const state = { isAgain: false, isUnderWay: false }

  async function listLocked(): Promise<StoredMessage[]> {
    const read = (starOrder: object) =>
      queryDocuments(messages, {
        selector: { starOrder },
        sort: [{ starOrder: 'asc' }],
        index: ['starOrder'],
      })
    const [locked, starred] = await Promise.all([
      read({ $gte: lockedOrder, $lt: epochOrder }),
      read({ $lte: 0 }),
    ])
    return [...locked, ...starred.filter(isAnyLocked)]
  }

  async function reopen() {
    const locked = await listLocked()
    askFor(locked)
    const changed = locked.filter((stored) => reopenOne(stored) !== stored).map(({ _id }) => _id)
    for (let from = 0; from < changed.length && !closing.signal.aborted; from += atOnce) {
      await changeDocuments(messages, changed.slice(from, from + atOnce), reopenOne)
    }
  }

  function reopenOne(stored: StoredMessage): StoredMessage {
    const before = fromStoredMessage(stored)
    const after = sealing.open(before)
    return areValuesEqual(before, after) ? stored : toStoredMessage(after, ownerOf(messages))
  }

  /** One that was opened without a key and stored after that came: the run for the key did not see it. */
  function look(documents: readonly StoredMessage[]) {
    askFor(documents)
    // A group's secret opens what was sealed with it.
    if (documents.some(({ epoch }) => epoch)) void run()
    const isLate = (stored: StoredMessage) => isAnyLocked(stored) && reopenOne(stored) !== stored
    if (documents.some(isLate)) void run()
  }

  /** One after the other: keys that come while it runs count in the next run. */
  async function run() {
    state.isAgain = true
    if (state.isUnderWay) return
    state.isUnderWay = true
    const backOff = createBackOff({ random: platform.random, longestMs: reopenLongestMs })
    while (state.isAgain && !closing.signal.aborted) {
      state.isAgain = false
      try {
        const attempt = await backOff.begin(closing.signal)
        await reopen().catch((cause: unknown) => {
          // A full disk, say: nothing else comes that would open them.
          state.isAgain = true
          backOff.fail(attempt)
          throw cause
        })
      } catch (cause) {
        if (!closing.signal.aborted) onError(cause)
      }
    }
    backOff.close()
    state.isUnderWay = false
  }

  function askFor(stored: readonly StoredMessage[]) {
    if (!sealing.isOn()) return
    for (const userId of new Set(stored.filter(waitsForKey).map(whoseKeys))) {
      const underWay = asking.get(userId)
      if (underWay) underWay.hurry()
      else {
        askUntilOpened(userId).catch((cause: unknown) => {
          if (!closing.signal.aborted) onError(cause)
        })
      }
    }
  }

  /** Nothing else comes that would ask for them: the words may be the last of their conversation. */
  async function askUntilOpened(userId: string) {
    const backOff = createBackOff({ random: platform.random, longestMs: longestAskMs })
    asking.set(userId, backOff)
    const stopListening = platform.page.subscribe((event) => {
      if (event === 'online' || event === 'front') backOff.hurry()
    })
    try {
      do {
        const attempt = await backOff.begin(closing.signal)
        const isAnswered = await askPerson(userId).then(() => true, isUserGone)
        backOff.fail(attempt, isAnswered ? { atLeastMs: askEveryMs } : {})
        await backOff.begin(closing.signal)
        // What the answer brought has opened them meanwhile.
      } while (await isWaiting(userId))
    } finally {
      asking.delete(userId)
      stopListening()
      backOff.close()
    }
  }

  async function isWaiting(userId: string): Promise<boolean> {
    const locked = await listLocked()
    return sealing.isOn() && locked.some((one) => whoseKeys(one) === userId && waitsForKey(one))
  }

  /** In a group it is the author who signs, and a message brings the secret. */
  const whoseKeys = ({ peerId, senderId }: StoredMessage) =>
    groups.has(peerId) ? senderId : peerId
  const waitsForKey = ({ locked, peerId, senderId }: StoredMessage) =>
    locked === 'key' && !(groups.has(peerId) && peerKeys.list(senderId).length > 0)

  const start = () => void run()
  const stops = [
    keyring.onChange(start),
    peerKeys.onChange(start),
    subscribeToChanges(messages, ({ documents }) => look(documents)),
  ]
  start()
  return () => {
    closing.abort()
    for (const stop of stops) stop()
  }
}
