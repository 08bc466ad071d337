import { limits } from '../../schema/limits.ts'
import type { PublicUser } from '../../schema/user.ts'
import { createLiveValue, type LiveValue, type SettableLiveValue } from '../database/live-value.ts'
import { type DeviceStore, subscribeToTable } from '../database/open-device-store.ts'
import type { PeopleDirectory } from './messenger.ts'

/** Where people are asked for; rejects with words for a person. */
export interface PeopleSource {
  get(userId: string): Promise<PublicUser>
  list(): Promise<PublicUser[]>
  search(query: string): Promise<PublicUser[]>
}

export interface People extends PeopleDirectory {
  /** Reads everybody from the server; what the device knows stays when that fails. */
  refresh(): Promise<void>
  /** Reads the records of those of these people whom a screen shows. */
  readAgain(userIds: readonly string[]): void
  close(): void
}

/** Everybody whom this device has heard of, drawn from its own records and refreshed from the server. */
export async function createPeople(options: {
  table: DeviceStore['people']
  source: PeopleSource
  onError: (cause: unknown) => void
}): Promise<People> {
  const { table, source, onError } = options
  const known = new Map<string, PublicUser>()
  const live = new Map<string, SettableLiveValue<PublicUser | undefined>>()
  const everybody = createLiveValue<readonly PublicUser[]>([])
  const asked = new Set<string>()
  const problem = createLiveValue<string | undefined>(undefined)

  /** Keeps the words of a failure until the next question is answered. */
  async function watch<T>(question: Promise<T>): Promise<T> {
    try {
      const answer = await question
      problem.set(undefined)
      return answer
    } catch (cause) {
      problem.set(cause instanceof Error ? cause.message : String(cause))
      throw cause
    }
  }

  function take(people: readonly PublicUser[]): PublicUser[] {
    const changed = people.filter((person) => !isSame(known.get(person._id), person))
    for (const person of changed) {
      known.set(person._id, person)
      live.get(person._id)?.set(person)
    }
    if (changed.length > 0) everybody.set([...known.values()].sort(byName))
    return changed
  }

  async function keep(people: readonly PublicUser[]) {
    const changed = take(people)
    if (changed.length > 0) await table.bulkPut(changed)
  }

  function ask(userId: string) {
    if (known.has(userId) || asked.has(userId)) return
    asked.add(userId)
    source
      .get(userId)
      .then((person) => keep([person]))
      // The next refresh, or the next opening of the screen, asks again.
      .catch(() => asked.delete(userId))
  }

  async function load(userId: string): Promise<PublicUser> {
    const person = await source.get(userId)
    await keep([person])
    return person
  }

  take(await table.toArray())
  const unsubscribe = subscribeToTable(table, { onRows: take, onError })

  return {
    get(userId): LiveValue<PublicUser | undefined> {
      ask(userId)
      const before = live.get(userId)
      if (before) return before
      const value = createLiveValue(known.get(userId))
      live.set(userId, value)
      return value
    },
    list: () => everybody,
    problem,
    load,
    async search(query) {
      const text = query.trim()
      if (text.length < limits.userSearchMinLength) return []
      const found = await watch(source.search(text))
      keep(found).catch(onError)
      return found
    },
    async refresh() {
      await keep(await watch(source.list()))
      asked.clear()
      for (const userId of live.keys()) ask(userId)
    },
    readAgain(userIds) {
      for (const userId of userIds) {
        if (!live.has(userId)) continue
        // What the device knows of them stays until they can be read.
        load(userId).catch(() => {})
      }
    },
    close: unsubscribe,
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
