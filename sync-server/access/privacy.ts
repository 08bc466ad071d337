import { LRUCache } from 'lru-cache'
import { readSettings, type Settings } from '../../schema/settings.ts'
import { atMost } from '../lib/at-most.ts'
import type { Accounts } from './accounts.ts'
import type { Directory } from './directory.ts'

const peopleRemembered = 20_000
const sharedRememberedMs = 10_000
/** Beyond this many people, the viewer's own list of chats first tells whose lists are worth reading. */
const fewPeople = 3

type Private = Pick<Settings, 'lastSeenFor' | 'onlineFor' | 'aboutFor' | 'pictureFor'>
const fields = {
  lastSeen: 'lastSeenFor',
  online: 'onlineFor',
  about: 'aboutFor',
  picture: 'pictureFor',
} as const satisfies Record<string, keyof Private>

/** What a viewer may see of a person. */
export type PersonView = Record<keyof typeof fields, boolean>

const nothing: PersonView = { lastSeen: false, online: false, about: false, picture: false }

/** Whose presence a viewer may see, among the people that it was read for. */
export interface PresenceSight {
  seesAll(userIds: readonly string[]): boolean
  /** Was it read for all of these? */
  knows(userIds: readonly string[]): boolean
  /** False for people that it was not read for: `hasMissed` then. */
  sees(userId: string): boolean
  hasMissed(): boolean
}

export type Privacy = ReturnType<typeof createPrivacy>

/**
 * What people let others see and do, by their settings: the one rule that every door asks. `chats`
 * means people the owner has a chat with, by the owner's own list: nobody else can write it.
 * @param isShared other servers write the same database, so cached entries expire
 */
export function createPrivacy(options: {
  accounts: Pick<Accounts, 'findAll'>
  directory: Pick<Directory, 'readSight' | 'listContacts'>
  isShared: boolean
}) {
  const { accounts, directory, isShared } = options
  const ttl = isShared ? { ttl: sharedRememberedMs } : {}
  const kept = new LRUCache<string, Settings>({ ...atMost(peopleRemembered), ...ttl })
  /** Do not cache a read that began before a change and ends after it. */
  const changes = { count: 0 }
  const listeners = new Set<(userId: string, names: readonly string[]) => void>()

  async function readAll(userIds: readonly string[]): Promise<Map<string, Settings>> {
    const found = new Map<string, Settings>()
    const missing: string[] = []
    for (const userId of new Set(userIds)) {
      const known = kept.get(userId)
      if (known) found.set(userId, known)
      else missing.push(userId)
    }
    if (missing.length === 0) return found
    const changesBefore = changes.count
    const read = await accounts.findAll(missing)
    for (const [userId, { settings }] of read) {
      const known = readSettings(settings)
      found.set(userId, known)
      if (changes.count === changesBefore) kept.set(userId, known)
    }
    return found
  }

  async function readOne(userId: string): Promise<Settings> {
    return (await readAll([userId])).get(userId) ?? readSettings({})
  }

  const hasChat = async (ownerId: string, otherId: string) =>
    ownerId === otherId || (await directory.listContacts(ownerId)).has(otherId)

  /** Those of these owners who have a chat with the viewer. */
  async function findChats(viewerId: string, ownerIds: readonly string[]): Promise<Set<string>> {
    const own = ownerIds.length > fewPeople ? await directory.listContacts(viewerId) : undefined
    const asked = ownerIds.filter((id) => id === viewerId || !own || own.has(id))
    const answers = await Promise.all(asked.map((id) => hasChat(id, viewerId)))
    return new Set(asked.filter((_, index) => answers[index]))
  }

  return {
    /** Reads this person's settings, so that nobody waits for them. */
    prepare: async (userId: string) => void (await readOne(userId)),

    /**
     * What a viewer may see of each of these people. A block hides presence both ways, and the
     * picture from who is blocked; whoever blocks keeps its address for when the block ends.
     */
    async readViews(
      viewerId: string,
      userIds: readonly string[],
    ): Promise<Map<string, PersonView>> {
      const [all, sight] = await Promise.all([readAll(userIds), directory.readSight(viewerId)])
      const names = Object.entries(fields) as [keyof PersonView, keyof Private][]
      const guarded = [...all].filter(([, own]) => names.some(([, name]) => own[name] === 'chats'))
      const chats = await findChats(
        viewerId,
        guarded.map(([id]) => id),
      )
      return new Map(
        userIds.map((id) => {
          const own = all.get(id)
          if (!own) return [id, nothing]
          const view = Object.fromEntries(
            names.map(([part, name]) => [part, own[name] === 'everybody' || chats.has(id)]),
          ) as PersonView
          const isSeen = sight.sees(id)
          return [
            id,
            {
              ...view,
              online: view.online && isSeen,
              lastSeen: view.lastSeen && isSeen,
              picture: view.picture && !sight.isBlockedBy(id),
            },
          ]
        }),
      )
    },

    /** May the viewer fetch the person's picture? A block hides it both ways. */
    async showsPicture(viewerId: string, ownerId: string): Promise<boolean> {
      if (!(await directory.readSight(viewerId)).sees(ownerId)) return false
      const { pictureFor } = await readOne(ownerId)
      return pictureFor === 'everybody' || (await hasChat(ownerId, viewerId))
    },

    /** Does the person let the other see that they are online? */
    async showsOnline(userId: string, otherId: string): Promise<boolean> {
      const { onlineFor } = await readOne(userId)
      return onlineFor === 'everybody' || (await hasChat(userId, otherId))
    },

    /** Is the person online for those they have a chat with alone? */
    hidesOnline: async (userId: string) => (await readOne(userId)).onlineFor === 'chats',

    /** Whose presence the viewer may see, among these people. */
    async readSight(viewerId: string, userIds: readonly string[]): Promise<PresenceSight> {
      const [all, sight] = await Promise.all([readAll(userIds), directory.readSight(viewerId)])
      const guarded = [...all].flatMap(([id, { onlineFor }]) => (onlineFor === 'chats' ? [id] : []))
      const chats = guarded.length > 0 ? await findChats(viewerId, guarded) : undefined
      const hidden = new Set(guarded.filter((id) => !chats?.has(id)))
      const state = { hasMissed: false }
      function sees(userId: string): boolean {
        if (userId === viewerId) return true
        if (!all.has(userId)) {
          state.hasMissed = true
          return false
        }
        return !hidden.has(userId) && sight.sees(userId)
      }
      const knows = (ids: readonly string[]) => ids.every((id) => all.has(id) || id === viewerId)
      return {
        seesAll: (ids) => sight.seesAll && hidden.size === 0 && knows(ids),
        knows,
        sees,
        hasMissed: () => state.hasMissed,
      }
    },

    /** Does this person get first messages only from people they know, and not from this one? */
    async refusesFirst(senderId: string, recipientId: string): Promise<boolean> {
      const { firstMessagesFrom } = await readOne(recipientId)
      return firstMessagesFrom === 'known' && !(await hasChat(recipientId, senderId))
    },

    /** Does this person not let the other add them to groups? */
    async refusesGroups(adderId: string, userId: string): Promise<boolean> {
      const { groupsFrom } = await readOne(userId)
      if (groupsFrom === 'everybody') return false
      return groupsFrom === 'nobody' || !(await hasChat(userId, adderId))
    },

    /** Does the author not learn what the reader has read? Each may turn it off, for both ways. */
    async hidesReading(readerId: string, authorId: string): Promise<boolean> {
      const all = await readAll([readerId, authorId])
      return [...all.values()].some(({ readReceipts }) => !readReceipts)
    },

    /** Does this person let others learn what they have read? */
    sendsReceipts: async (userId: string) => (await readOne(userId)).readReceipts,

    /** These settings of a person have changed, here or on another server. */
    handleChanged(userId: string, names: readonly string[]) {
      changes.count += 1
      kept.delete(userId)
      for (const listener of listeners) listener(userId, names)
    },

    /** Calls back with a person and the names of changed settings. @returns ends it */
    onChanged(listener: (userId: string, names: readonly string[]) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
