import type { KeyValueStorage } from '../database/storage/key-value-storage.ts'
import { listOwnTexts, namelessKeys } from './platform/own-texts.ts'

/** The people whose data this device still has to erase, whatever happens meanwhile. */
export interface OwedErasures {
  record(userId: string): void
  /** The person, if `key` in `texts` is such a note. */
  readNote(key: string | null): string | undefined
  list(): readonly string[]
  /** Erases a person's remaining data. @throws with words for a person when a tab blocks it */
  finish(userId: string): Promise<void>
  /** The same for everyone; what fails now stays owed. */
  finishAll(): Promise<void>
}

const prefix = 'petrel-erase-'
/** A live tab answers in milliseconds; a hanging one may never answer. */
const eraseMs = 5_000

const heldWords =
  'Your chats are still being removed from this device, and another tab holds on to them. Close the other tabs of Petrel, then try again.'

/**
 * Notes in `texts` what to erase, so that neither a hanging tab nor a crash leaves it on the
 * device.
 */
export function createOwedErasures(options: {
  texts: KeyValueStorage
  indexedDB: IDBFactory
  limitMs?: number
}): OwedErasures {
  const { texts, indexedDB, limitMs = eraseMs } = options
  const underWay = new Map<string, Promise<void>>()

  function readNote(key: string | null): string | undefined {
    return key?.startsWith(prefix) ? key.slice(prefix.length) : undefined
  }

  function list(): string[] {
    const keys = Array.from({ length: texts.length }, (_, index) => texts.key(index))
    return keys.flatMap((key) => readNote(key) ?? [])
  }

  async function erase(userId: string) {
    for (const key of listOwnTexts(texts, userId)) texts.removeItem(key)
    const databases = await indexedDB.databases()
    const names = databases.flatMap(({ name }) => (name?.includes(`petrel-${userId}`) ? name : []))
    await Promise.all(names.map((name) => deleteDatabase(indexedDB, name)))
    texts.removeItem(prefix + userId)
  }

  /** However long the browser takes, this never starts the same erasure twice. */
  function begin(userId: string): Promise<void> {
    const before = underWay.get(userId)
    if (before !== undefined) return before
    const erasing = erase(userId).finally(() => underWay.delete(userId))
    underWay.set(userId, erasing)
    return erasing
  }

  async function finish(userId: string) {
    if (texts.getItem(prefix + userId) === null) return
    const erasing = begin(userId)
    erasing.catch(() => {})
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(heldWords)), limitMs)
    })
    await Promise.race([erasing, late]).finally(() => clearTimeout(timer))
  }

  return {
    record(userId) {
      texts.setItem(prefix + userId, 'owed')
      // They bear no name: at the next start they may be somebody else's.
      for (const key of namelessKeys) texts.removeItem(key)
    },
    readNote,
    list,
    finish,
    async finishAll() {
      await Promise.allSettled(list().map(finish))
    },
  }
}

/** Resolves after the deletion; waits while a tab has the database open. */
function deleteDatabase(indexedDB: IDBFactory, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error ?? new Error(`${name} could not be deleted.`))
  })
}
