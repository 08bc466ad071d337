import type { RxCollection } from 'rxdb/plugins/core'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import { findOwed } from '../replication/find-owed.ts'
import { replicationKey } from '../replication/replication-key.ts'
import { openReplicationNotes } from '../replication/replication-notes.ts'
import type { OwedChange, OwedWhat } from './outbox-types.ts'

const mostListed = 100

/**
 * The changes of sent messages and of chats that the server lacks, newest first, from stored data.
 * A change without words for a person, such as a mark of what has arrived, is left out.
 */
export async function listOwedChanges(database: PetrelDatabase): Promise<readonly OwedChange[]> {
  const [messages, conversations] = await Promise.all([
    listOf(database, {
      name: 'messages',
      compare: compareMessages,
      readPeerId: ({ peerId }: MessageDocument) => peerId,
    }),
    listOf(database, {
      name: 'conversations',
      compare: compareConversations,
      readPeerId: ({ _id }: ConversationDocument) => _id,
    }),
  ])
  return [...messages, ...conversations].sort((a, b) => b.at - a.at).slice(0, mostListed)
}

async function listOf<T extends { _id: string }>(
  database: PetrelDatabase,
  of: {
    name: 'messages' | 'conversations'
    compare(own: T, server: Partial<T> | undefined): OwedWhat[]
    readPeerId(own: T): string
  },
): Promise<OwedChange[]> {
  const collection = database[of.name] as unknown as RxCollection<T>
  const identifier = replicationKey(await database.device.epochs.get(of.name))
  const notes = await openReplicationNotes(collection, identifier)
  try {
    const { owed, servers } = await findOwed({ collection, notes, identifier })
    return owed.flatMap((own) => {
      const what = of.compare(own, servers.get(own._id))
      if (what.length === 0) return []
      return { id: own._id, peerId: of.readPeerId(own), at: own._meta.lwt, what }
    })
  } finally {
    await notes.close()
  }
}

/** A message that is itself on its way is no change: the outbox lists it. */
function compareMessages(
  own: MessageDocument,
  server: Partial<MessageDocument> | undefined,
): OwedWhat[] {
  const isOnItsWay = own.status === 'sending' || own.status === 'failed'
  if (!server || isOnItsWay) return []
  if (own.deletedAt !== server.deletedAt) return own.deletedAt === undefined ? [] : ['deleted']
  return [
    ...choose(own.content !== server.content, 'edited'),
    ...choose(
      own.isStarred !== (server.isStarred ?? false),
      own.isStarred ? 'starred' : 'unstarred',
    ),
    ...choose(JSON.stringify(own.reactions) !== JSON.stringify(server.reactions), 'reacted'),
  ]
}

function compareConversations(
  own: ConversationDocument,
  server: Partial<ConversationDocument> = {},
): OwedWhat[] {
  const isOther = (flag: 'isPinned' | 'isArchived' | 'isMuted') =>
    own[flag] !== (server[flag] ?? false)
  return [
    ...choose(own.clearedUpTo > (server.clearedUpTo ?? 0), 'cleared'),
    ...choose(isOther('isPinned'), own.isPinned ? 'pinned' : 'unpinned'),
    ...choose(isOther('isArchived'), own.isArchived ? 'archived' : 'unarchived'),
    ...choose(isOther('isMuted'), own.isMuted ? 'muted' : 'unmuted'),
    ...choose(own.readUpTo > (server.readUpTo ?? 0), 'read'),
  ]
}

function choose(isIt: boolean, what: OwedWhat): OwedWhat[] {
  return isIt ? [what] : []
}
