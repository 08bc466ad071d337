import { LRUCache } from 'lru-cache'
import { limits } from '../../schema/limits.ts'
import { email } from '../../schema/user.ts'
import { atMost } from '../lib/at-most.ts'
import { nameConversationsDatabase } from '../storage/documents/database-names.ts'
import type { Seq } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'
import type { AccountDocument } from './account-documents.ts'
import type { Accounts } from './accounts.ts'
import type { NameIndex } from './name-index.ts'
import type { Relations } from './relations.ts'

const peopleRemembered = 20_000
const sharedRememberedMs = 10_000
const conversationsPrefix = nameConversationsDatabase('')

/** A person's conversations as last read, and the place read up to. */
interface Contacts {
  ids: ReadonlySet<string>
  seq: Seq
  readAt: number
  isStale: boolean
  reading: Promise<void> | undefined
}

const noContacts = { seq: 0, readAt: 0, isStale: true, reading: undefined }

/** The people whose presence a person may see; always includes themselves. */
export interface Sight {
  seesAll: boolean
  sees(userId: string): boolean
  /** Does that person block this one? */
  isBlockedBy(userId: string): boolean
}

export type Directory = ReturnType<typeof createDirectory>

/**
 * Decides who a person can find, and whose presence they see. `open`: everybody. `contacts`: people
 * they have a conversation with, others by exact name or number only. Blocking hides presence both
 * ways.
 * @param isShared other servers write the same databases, so cached entries expire
 */
export function createDirectory(options: {
  mode: 'open' | 'contacts'
  storage: Storage
  accounts: Accounts
  relations: Relations
  nameIndex: NameIndex
  isShared: boolean
}) {
  const { mode, storage, accounts, relations, nameIndex, isShared } = options

  /** Presence changes often, and must not open a database for every connected person. */
  const contactsOf = new LRUCache<string, Contacts>(atMost(peopleRemembered))
  const listeners = new Set<(userId: string) => void>()
  storage.signals.subscribe((name) => {
    if (!name.startsWith(conversationsPrefix)) return
    const userId = name.slice(conversationsPrefix.length)
    const kept = contactsOf.peek(userId)
    if (kept) kept.isStale = true
    for (const listener of listeners) listener(userId)
  })

  /** Receipts write conversations all the time: read only what changed since the last read. */
  async function readContacts(userId: string, contacts: Contacts) {
    contacts.isStale = false
    contacts.readAt = Date.now()
    const database = storage.database(nameConversationsDatabase(userId))
    try {
      const { results, last_seq } = await database.changes({ since: contacts.seq })
      const fresh = results.filter(({ id, deleted }) => !deleted && !contacts.ids.has(id))
      if (fresh.length > 0) contacts.ids = new Set([...contacts.ids, ...fresh.map(({ id }) => id)])
      contacts.seq = last_seq
    } catch (error) {
      contacts.isStale = true
      throw error
    }
  }

  async function listContacts(userId: string): Promise<ReadonlySet<string>> {
    const kept = contactsOf.get(userId)
    const contacts = kept ?? { ...noContacts, ids: new Set<string>() }
    if (!kept) contactsOf.set(userId, contacts)
    // A pending read may have begun before the write that the caller knows of.
    if (contacts.reading) await contacts.reading
    const isOld = isShared && Date.now() - contacts.readAt > sharedRememberedMs
    if (contacts.isStale || isOld) {
      contacts.reading = readContacts(userId, contacts).finally(() => {
        contacts.reading = undefined
      })
      await contacts.reading
    }
    return contacts.ids
  }

  async function readSight(viewerId: string): Promise<Sight> {
    const { blocked, blockedBy } = await relations.readBlocks(viewerId)
    const contacts = mode === 'contacts' ? await listContacts(viewerId) : undefined
    return {
      seesAll: !contacts && blocked.size === 0 && blockedBy.size === 0,
      sees(userId) {
        if (userId === viewerId) return true
        if (blocked.has(userId) || blockedBy.has(userId)) return false
        return !contacts || contacts.has(userId)
      },
      isBlockedBy: (userId) => blockedBy.has(userId),
    }
  }

  async function listPeople(userId: string): Promise<AccountDocument[]> {
    if (mode === 'open') return await accounts.list(limits.usersListMax + 1)
    const contacts = [...(await listContacts(userId))]
    return [...(await accounts.findAll(contacts)).values()]
  }

  /**
   * By the whole address only; never somebody who blocked the caller, nor a stranger with
   * `contacts`.
   */
  async function findByEmail(userId: string, text: string): Promise<AccountDocument[]> {
    const found = await accounts.findByName(text)
    if (!found) return []
    const { blockedBy } = await relations.readBlocks(userId)
    if (blockedBy.has(found.userId)) return []
    const isShown = mode === 'open' || (await listContacts(userId)).has(found.userId)
    return isShown ? [found] : []
  }

  async function findMatches(userId: string, text: string): Promise<AccountDocument[]> {
    if (isEmail(text)) return await findByEmail(userId, text)
    if (mode === 'open') {
      const userIds = await nameIndex.search(text, limits.userSearchMax + 1)
      const found = await accounts.findAll(userIds)
      return userIds.flatMap((userId) => found.get(userId) ?? [])
    }
    const exact = text.includes('@') ? undefined : await accounts.findByName(text)
    return exact ? [exact] : []
  }

  async function findPhones(userId: string, digits: string): Promise<AccountDocument[]> {
    if (mode === 'open') {
      const userIds = await nameIndex.searchPhones(digits, limits.phoneSearchMax + 1)
      const found = await accounts.findAll(userIds)
      return userIds.flatMap((id) => found.get(id) ?? [])
    }
    const contacts = (await listPeople(userId)).filter(({ phone_number }) =>
      phone_number?.includes(digits),
    )
    const exact = await accounts.findByPhone(digits)
    const isKnown = !exact || contacts.some((contact) => contact.userId === exact.userId)
    return isKnown ? contacts : [exact, ...contacts]
  }

  return {
    /** Everybody in the person's list of people; never themselves. */
    async list(userId: string): Promise<AccountDocument[]> {
      const others = (await listPeople(userId)).filter((account) => account.userId !== userId)
      return others.slice(0, limits.usersListMax)
    },

    /**
     * People whose name or number matches the typed text, or the one with exactly this email
     * address; never the person themselves.
     */
    async search(userId: string, text: string): Promise<AccountDocument[]> {
      const query = text.trim()
      if (query.length < limits.userSearchMinLength) return []
      const others = (await findMatches(userId, query)).filter(
        (account) => account.userId !== userId,
      )
      return others.slice(0, limits.userSearchMax)
    },

    /** The person with this whole phone number; never the caller. */
    async findByPhone(userId: string, digits: string): Promise<AccountDocument | undefined> {
      const found = await accounts.findByPhone(digits)
      return found?.userId === userId ? undefined : found
    },

    /**
     * People by a part of their phone number; never the caller. `contacts` finds strangers by the
     * whole number only.
     */
    async searchPhones(userId: string, digits: string): Promise<AccountDocument[]> {
      if (digits.length < limits.phoneSearchMinDigits) return []
      const found = await findPhones(userId, digits)
      const others = found.filter((account) => account.userId !== userId)
      return others.slice(0, limits.phoneSearchMax)
    },

    readSight,

    /** In this mode people see only their contacts' presence. */
    isForContacts: mode === 'contacts',

    /** Everybody with a conversation with this person. Treat the set as immutable. */
    listContacts,

    /** Calls back with a person whose conversations changed. @returns a function that stops it */
    onConversationsWritten(listener: (userId: string) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Is this typed text a whole email address? */
export function isEmail(text: string): boolean {
  return email.safeParse(text.trim()).success
}
