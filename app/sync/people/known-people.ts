import { wordsOf } from '../../../schema/helpers/text.ts'
import { limits } from '../../../schema/limits.ts'
import { describeDeletedUser, type PublicUser } from '../../../schema/user.ts'
import { isUserGone } from '../../api/api-error.ts'
import type { KnownPerson } from '../../database/storage/known-peer.ts'
import { type DeviceStore, subscribeToTable } from '../../database/storage/open-device-store.ts'
import {
  createLiveValue,
  type LiveValue,
  type SettableLiveValue,
} from '../../database/views/live-value.ts'
import { createBackOff } from '../platform/back-off.ts'
import type { PeopleDirectory } from './people-directory.ts'

const firstMs = 1_000

const longestMs = 5 * 60_000

/** The server calls for people; reject with words for a person. */
export interface PeopleSource {
  get(userId: string): Promise<PublicUser>
  list(): Promise<PublicUser[]>
  search(query: string): Promise<PublicUser[]>
  listBlocked(): Promise<PublicUser[]>
}

export interface KnownPeople extends Omit<PeopleDirectory, 'refreshIfOld'> {
  isKnown(userId: string): boolean
  /** Reloads everyone from the server; on failure the known records stay. */
  refresh(): Promise<void>
  /** Reloads the records of those among these people that a screen shows; a deleted one stays. */
  readAgain(userIds: readonly string[]): void
  /** Keeps that these people are online, of those a screen shows. */
  recordOnline(userIds: readonly string[]): void
  /**
   * Keeps the last moment at which this device knew these people to be online, where the server
   * has given a time for them before: for others it may hide that.
   * @param at ISO
   */
  recordLost(userIds: readonly string[], at: string): void
  close(): void
}

/** More than that leave a server's list only when it hides them all. */
const strangersAskedMax = 20

/** A name or picture that was read this lately is not asked for once more. */
const freshMs = 60_000

/** Everyone this device has heard of, from its own records and refreshed from the server. */
export async function createKnownPeople(options: {
  table: DeviceStore['people']
  /** Whose device it is: read for the keys, but nobody to write to. */
  ownId: string
  source: PeopleSource
  /** Is this a group's id? A group is nobody to ask for. */
  isGroup: (userId: string) => boolean
  /** Is there a chat with this person? Then the account existed once. */
  isMet: (userId: string) => boolean
  /** Called with records as they come, whoever read them, of which each may have keys. */
  onRecords: (people: readonly KnownPerson[]) => void
  /** Called with the address of a picture that its person no longer has. */
  onPictureGone: (address: string) => void
  random: () => number
  /** Ms of a clock that nobody sets. */
  now: () => number
  onError: (cause: unknown) => void
}): Promise<KnownPeople> {
  const { table, ownId, source, isGroup, isMet, onRecords, onPictureGone, random, now, onError } =
    options
  const known = new Map<string, KnownPerson>()
  const live = new Map<string, SettableLiveValue<KnownPerson | undefined>>()
  const everybody = createLiveValue<readonly PublicUser[]>([])
  /** People requested individually since the last full reload. */
  const asked = new Set<string>()
  /** Those among them without an account. */
  const missing = new Set<string>()
  /** People looked up because the list of everyone no longer has them. */
  const departed = new Set<string>()
  /** Deleted strangers: the device's own rows may still have them for a moment. */
  const dropped = new Set<string>()
  /** Questions to the server, counted, and which of them each record answers: answers may come in another order. */
  let questionsBegun = 0
  const answered = new Map<string, number>()
  /** When each record was last read by itself. */
  const readAt = new Map<string, number>()
  let reading: Promise<unknown> = Promise.resolve()
  const problem = createLiveValue<string | undefined>(undefined)

  /** Keeps a failure's words until the next request succeeds. */
  async function watch<T>(question: Promise<T>): Promise<T> {
    try {
      const answer = await question
      problem.set(undefined)
      return answer
    } catch (cause) {
      problem.set(wordsOf(cause))
      throw cause
    }
  }

  function take(people: readonly KnownPerson[]): KnownPerson[] {
    onRecords(people)
    const changed = people.filter((person) => !isSame(known.get(person._id), person))
    for (const person of changed) {
      const before = known.get(person._id)?.profilePicture
      if (before && before !== person.profilePicture) onPictureGone(before)
      known.set(person._id, person)
      live.get(person._id)?.set(person)
    }
    if (changed.length > 0) publish()
    return changed
  }

  async function keep(people: readonly KnownPerson[]) {
    const changed = take(people)
    if (changed.length > 0) await table.bulkPut(changed)
  }

  function beginQuestion(): number {
    questionsBegun += 1
    return questionsBegun
  }

  /** Keeps an answer, without those whose record answers a later question. */
  async function keepAnswer(people: readonly PublicUser[], question: number) {
    const latest = people.filter(({ _id }) => (answered.get(_id) ?? 0) <= question)
    for (const { _id } of latest) answered.set(_id, question)
    await keep(latest)
  }

  /** Leaves the other fields to the tab that has read them last. */
  async function mark(
    userIds: readonly string[],
    describe: (person: KnownPerson) => Partial<Pick<KnownPerson, 'isOnline' | 'lastSeen'>>,
  ) {
    const marks = userIds.flatMap((userId) => {
      const person = known.get(userId)
      return person && !person.isDeleted ? [{ person, changes: describe(person) }] : []
    })
    const changed = take(marks.map(({ person, changes }) => ({ ...person, ...changes })))
    const ids = new Set(changed.map(({ _id }) => _id))
    const stored = marks.filter(({ person }) => ids.has(person._id))
    if (stored.length === 0) return
    await table.bulkUpdate(stored.map(({ person, changes }) => ({ key: person._id, changes })))
  }

  const questions = createAskedPeople({
    random,
    async read(userId) {
      await reading.catch(() => {})
      if (!asked.has(userId) || known.get(userId)?.isDeleted) return
      // "No such person" is an answer too.
      await load(userId).catch((cause: unknown) => {
        if (!isUserGone(cause)) throw cause
      })
    },
  })

  function ask(userId: string) {
    if (missing.has(userId)) recordGone(userId)
    if (isGroup(userId) || known.has(userId) || asked.has(userId)) return
    asked.add(userId)
    questions.ask(userId)
  }

  /**
   * A record of a deleted account, so that no one requests it again. A mistyped address is no
   * person.
   */
  function recordGone(userId: string) {
    missing.add(userId)
    if (isMet(userId)) keep([{ ...describeDeletedUser(userId), isDeleted: true }]).catch(onError)
    else drop(userId).catch(onError)
  }

  /** A stranger whose account is deleted: no list offers them any more. */
  async function drop(userId: string) {
    if (!known.delete(userId)) return
    dropped.add(userId)
    publish()
    live.get(userId)?.set({ ...describeDeletedUser(userId), isDeleted: true })
    await table.delete(userId)
  }

  function publish() {
    const others = [...known.values()].filter(({ _id, isDeleted }) => !isDeleted && _id !== ownId)
    everybody.set(others.sort(byName))
  }

  async function load(userId: string): Promise<PublicUser> {
    readAt.set(userId, now())
    const question = beginQuestion()
    try {
      const person = await source.get(userId)
      missing.delete(userId)
      await keepAnswer([person], question)
      return person
    } catch (cause) {
      readAt.delete(userId)
      if (isUserGone(cause)) recordGone(userId)
      throw cause
    }
  }

  /**
   * A known person missing from the full list may be deleted, or only hidden: request each one
   * once.
   */
  function askForDeparted(everyone: readonly PublicUser[]) {
    if (everyone.length >= limits.usersListMax) return
    const present = new Set(everyone.map(({ _id }) => _id))
    let strangers = 0
    for (const { _id, isDeleted } of known.values()) {
      if (present.has(_id) || isDeleted || departed.has(_id) || _id === ownId) continue
      if (!isMet(_id)) strangers += 1
      if (strangers > strangersAskedMax && !isMet(_id)) continue
      departed.add(_id)
      asked.add(_id)
      questions.ask(_id)
    }
  }

  async function readEverybody() {
    const question = beginQuestion()
    const everyone = await watch(source.list())
    await keepAnswer(everyone, question)
    asked.clear()
    missing.clear()
    questions.hurry()
    askForDeparted(everyone)
    for (const userId of live.keys()) ask(userId)
  }

  take(await table.toArray())
  const unsubscribe = subscribeToTable(table, {
    // Rows are read a moment ago: what was just found to be deleted may not lie in them yet.
    onRows: (rows) =>
      void take(
        rows.filter(
          ({ _id, isDeleted }) => !dropped.has(_id) && (isDeleted || !known.get(_id)?.isDeleted),
        ),
      ),
    onError,
  })

  return {
    get(userId): LiveValue<KnownPerson | undefined> {
      ask(userId)
      const before = live.get(userId)
      if (before) return before
      const value = createLiveValue(known.get(userId))
      live.set(userId, value)
      return value
    },
    isKnown: (userId) => known.has(userId),
    list: () => everybody,
    problem,
    load,
    loadIfOld(userId) {
      const isFresh = now() - (readAt.get(userId) ?? Number.NEGATIVE_INFINITY) < freshMs
      if (isFresh || !known.has(userId) || known.get(userId)?.isDeleted) return
      load(userId).catch(() => {})
    },
    async search(query) {
      const text = query.trim()
      if (text.length < limits.userSearchMinLength) return []
      const question = beginQuestion()
      const found = await watch(source.search(text))
      keepAnswer(found, question).catch(onError)
      return found
    },
    async refresh() {
      const own = readEverybody()
      reading = own
      await own
    },
    readAgain(userIds) {
      for (const userId of userIds) {
        readAt.delete(userId)
        if (!live.has(userId) || known.get(userId)?.isDeleted) continue
        // The known record stays until a reload succeeds.
        load(userId).catch(() => {})
      }
    },
    recordOnline(userIds) {
      const shown = userIds.filter((userId) => live.has(userId))
      mark(shown, () => ({ isOnline: true })).catch(onError)
    },
    recordLost(userIds, at) {
      readAt.clear()
      mark(userIds, ({ lastSeen }) =>
        lastSeen === null ? { isOnline: true } : { isOnline: false, lastSeen: at },
      ).catch(onError)
    },
    close() {
      unsubscribe()
      questions.close()
    },
  }
}

function isSame(a: PublicUser | undefined, b: PublicUser): boolean {
  return a !== undefined && JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

function sorted(person: PublicUser) {
  return Object.entries(person).sort(([a], [b]) => (a < b ? -1 : 1))
}

function byName(a: PublicUser, b: PublicUser): number {
  return a.username.localeCompare(b.username) || (a._id < b._id ? -1 : 1)
}

/**
 * Requests unknown people from the server one by one, retrying until it answers. A failing request
 * goes to the back of the queue, with a longer delay after each failure.
 * @param read removes them from the queue when it resolves
 */
export function createAskedPeople(options: {
  read: (userId: string) => Promise<unknown>
  random: () => number
}) {
  const { read, random } = options
  const closing = new AbortController()
  const backOff = createBackOff({ random, firstMs, longestMs })
  const waiting = new Set<string>()
  /** Its answer is on the way, also for whoever asks meanwhile. */
  let current: string | undefined
  let isRunning = false

  async function askOne(userId: string) {
    const attempt = await backOff.begin(closing.signal)
    waiting.delete(userId)
    current = userId
    try {
      await read(userId)
      backOff.succeed()
    } catch {
      waiting.add(userId)
      backOff.fail(attempt)
    } finally {
      current = undefined
    }
  }

  async function run() {
    isRunning = true
    for (const userId of waiting) await askOne(userId)
    isRunning = false
  }

  return {
    ask(userId: string) {
      if (userId !== current) waiting.add(userId)
      if (!isRunning && !closing.signal.aborted) run().catch(() => {})
    },
    /** The server is reachable again: retry now. */
    hurry: backOff.hurry,
    close() {
      closing.abort(new Error('Nobody is asked for any more.'))
      backOff.close()
    },
  }
}
