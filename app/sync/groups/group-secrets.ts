import { v7 as createId } from 'uuid'
import { lineOf } from '../../../schema/api/groups.ts'
import type { GroupEpoch } from '../../../schema/group-epoch.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { subscribeToChanges } from '../../database/storage/collections.ts'
import type { PetrelDatabase } from '../../database/storage/open-database.ts'
import { toStoredMessage } from '../../database/storage/stored-message.ts'

export type GroupSecrets = ReturnType<typeof createGroupSecrets>

/** Whose records are read at once: a group's newcomers may be many. */
const askedAtOnce = 4

/** Makes secrets for groups, and gives them to who is added by this person. */
export function createGroupSecrets(options: {
  database: Pick<PetrelDatabase, 'messages' | 'groupKeys' | 'groups' | 'sealing'>
  userId: string
  /** The server's time as this device knows it, epoch ms. */
  now: () => number
  /** Reads a person's record, with their keys, from the server. */
  askPerson: (userId: string) => Promise<unknown>
  onError: (cause: unknown) => void
}) {
  const { database, userId, now, askPerson, onError } = options
  const { messages, groupKeys, groups, sealing } = database

  async function store(epoch: GroupEpoch, { groupId, place }: { groupId: string; place: number }) {
    const message = {
      ...messageDocument.parse({
        _id: createId(),
        peerId: groupId,
        senderId: userId,
        recipientId: groupId,
        createdAt: now(),
        orderedAt: place,
      }),
      epoch,
    }
    groupKeys.take([message])
    await messages.insert(toStoredMessage(message, userId))
  }

  /** Who comes has to read what was sealed by those who did not know of them yet. */
  async function giveTo(userIds: readonly string[], { peerId, orderedAt }: MessageDocument) {
    const unknown = userIds.filter((id) => groupKeys.listKeyless(peerId).includes(id))
    for (let at = 0; at < unknown.length; at += askedAtOnce) {
      await Promise.all(unknown.slice(at, at + askedAtOnce).map(askPerson))
    }
    const epoch = userIds.length > 0 ? groupKeys.give(peerId, userIds) : undefined
    if (epoch) await store(epoch, { groupId: peerId, place: orderedAt })
  }

  /** Who comes by this line, and is to be given the secret by this person. */
  function listGiven(message: MessageDocument): readonly string[] {
    const { change, userIds } = lineOf(message) ?? {}
    const { senderId, peerId } = message
    if (change?.kind === 'add') return senderId === userId ? (userIds ?? []) : []
    // Nobody adds who comes by the link: one of the others does it for all.
    const owner = groups.get(peerId)?.members.find(({ role }) => role === 'owner')
    return change?.kind === 'join' && owner?.userId === userId ? [senderId] : []
  }

  const stopListening = subscribeToChanges(messages, ({ documents }) => {
    for (const document of documents) {
      const line = lineOf(document)
      if (!line || !sealing.isOn()) continue
      // Whoever cannot be asked now gets the next secret, as soon as somebody writes.
      giveTo(listGiven(document), document).catch(onError)
    }
  })

  return {
    /** Makes one for the present members before this message, where all of them have keys. */
    async makeBefore({ peerId, orderedAt }: MessageDocument): Promise<void> {
      const epoch = groupKeys.make(peerId)
      if (epoch) await store(epoch, { groupId: peerId, place: orderedAt - 1 })
    },
    close: stopListening,
  }
}
