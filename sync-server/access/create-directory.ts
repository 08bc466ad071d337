import { LRUCache } from 'lru-cache'
import { limits } from '../../schema/limits.ts'
import type { Storage } from '../storage/create-storage.ts'
import { nameConversationsDatabase } from '../storage/database-names.ts'
import type { AccountDocument } from './account-documents.ts'
import type { Accounts } from './create-accounts.ts'
import type { NameIndex } from './create-name-index.ts'
import type { Relations } from './create-relations.ts'

const peopleRemembered = 20_000
const sharedRememberedMs = 10_000

export type Directory = ReturnType<typeof createDirectory>

/**
 * Decides whom a person can find, and whose presence they may see.
 * `open`: everybody; `contacts`: people one has a conversation with, others only by exact name or number.
 * Whoever has blocked whom: neither sees the other's presence.
 * @param isShared other servers write the same databases, so what is remembered here gets old
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

  /** By database name. Presence is told often, and must not open a database for everybody who is connected. */
  const contactsOf = new LRUCache<string, ReadonlySet<string>>({
    max: peopleRemembered,
    ...(isShared ? { ttl: sharedRememberedMs } : {}),
  })
  const changes = { count: 0 }
  storage.signals.subscribe((name) => {
    if (!name.startsWith('conversations-')) return
    changes.count += 1
    contactsOf.delete(name)
  })

  async function listContacts(userId: string): Promise<ReadonlySet<string>> {
    const name = nameConversationsDatabase(userId)
    const kept = contactsOf.get(name)
    if (kept) return kept
    const changesBefore = changes.count
    const conversations = await storage.database(name).range({})
    const contacts = new Set(conversations.map(({ _id }) => _id))
    if (changes.count === changesBefore) contactsOf.set(name, contacts)
    return contacts
  }

  async function listPeople(userId: string): Promise<AccountDocument[]> {
    if (mode === 'open') return await accounts.list(limits.usersListMax + 1)
    const contacts = [...(await listContacts(userId))]
    return [...(await accounts.findAll(contacts)).values()]
  }

  async function findMatches(text: string): Promise<AccountDocument[]> {
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
    /** Everybody that the person's list of people holds; never themselves. */
    async list(userId: string): Promise<AccountDocument[]> {
      const others = (await listPeople(userId)).filter((account) => account.userId !== userId)
      return others.slice(0, limits.usersListMax)
    },

    /** People whose name or number matches what was typed; never themselves. */
    async search(userId: string, text: string): Promise<AccountDocument[]> {
      const query = text.trim()
      if (query.length < limits.userSearchMinLength) return []
      const others = (await findMatches(query)).filter((account) => account.userId !== userId)
      return others.slice(0, limits.userSearchMax)
    },

    /** The person of a whole phone number; never oneself. */
    async findByPhone(userId: string, digits: string): Promise<AccountDocument | undefined> {
      const found = await accounts.findByPhone(digits)
      return found?.userId === userId ? undefined : found
    },

    /** People by a part of their phone number; never oneself. With `contacts` strangers by the whole number only. */
    async searchPhones(userId: string, digits: string): Promise<AccountDocument[]> {
      if (digits.length < limits.phoneSearchMinDigits) return []
      const found = await findPhones(userId, digits)
      const others = found.filter((account) => account.userId !== userId)
      return others.slice(0, limits.phoneSearchMax)
    },

    /** Those of `userIds` whose presence the viewer may see; the viewer may see their own. */
    async filterVisible(viewerId: string, userIds: readonly string[]): Promise<string[]> {
      const { blocked, blockedBy } = await relations.readBlocks(viewerId)
      const contacts = mode === 'contacts' ? await listContacts(viewerId) : undefined
      if (!contacts && blocked.size === 0 && blockedBy.size === 0) return [...userIds]
      return userIds.filter((userId) => {
        if (userId === viewerId) return true
        if (blocked.has(userId) || blockedBy.has(userId)) return false
        return !contacts || contacts.has(userId)
      })
    },
  }
}
