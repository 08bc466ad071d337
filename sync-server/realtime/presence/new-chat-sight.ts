import { LRUCache } from 'lru-cache'
import type { Directory } from '../../access/directory/directory.ts'
import type { Privacy } from '../../access/privacy/privacy.ts'
import { atMost } from '../../lib/at-most.ts'
import type { Presence } from './presence.ts'

const peopleRemembered = 20_000

/**
 * Watches people who are online for those they have a chat with alone: whoever they begin a chat
 * with may see them from then on. The first look at a person finds everybody they have a chat with.
 * @param onFound called with people who may see somebody more
 */
export function createNewChatSight(options: {
  presence: Pick<Presence, 'isOnline'>
  directory: Pick<Directory, 'listContacts' | 'onConversationsWritten'>
  privacy: Pick<Privacy, 'hidesOnline'>
  onFound: (viewerIds: readonly string[]) => void
  onError: (error: unknown) => void
}) {
  const { presence, directory, privacy, onFound, onError } = options
  const known = new LRUCache<string, ReadonlySet<string>>(atMost(peopleRemembered))
  /** People whose chats are being read, and whether they were written meanwhile. */
  const looking = new Map<string, boolean>()

  async function look(ownerId: string) {
    if (!presence.isOnline(ownerId) || !(await privacy.hidesOnline(ownerId))) return
    const before = known.get(ownerId)
    const contacts = await directory.listContacts(ownerId)
    known.set(ownerId, contacts)
    if (contacts !== before) onFound([...contacts].filter((id) => !before?.has(id)))
  }

  /** Receipts write conversations all the time: one look at a time for each person. */
  function request(ownerId: string) {
    if (looking.has(ownerId)) return void looking.set(ownerId, true)
    looking.set(ownerId, false)
    look(ownerId)
      .catch(onError)
      .finally(() => {
        const isWritten = looking.get(ownerId)
        looking.delete(ownerId)
        if (isWritten) request(ownerId)
      })
  }

  return { close: directory.onConversationsWritten(request) }
}
