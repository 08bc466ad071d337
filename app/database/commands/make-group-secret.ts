import { v7 as createId } from 'uuid'
import type { GroupEpoch } from '../../../schema/group-epoch.ts'
import { messageDocument } from '../../../schema/message.ts'
import type { PetrelDatabase } from '../storage/open-database.ts'
import { toStoredMessage } from '../storage/stored-message.ts'

interface SecretContext {
  userId: string
  database: Pick<PetrelDatabase, 'messages' | 'groupKeys'>
  /** The server's time as this device knows it, epoch ms. */
  now: () => number
}

/** Makes a secret for the group's present members before this place, where all of them have keys. */
export async function makeGroupSecret(
  context: SecretContext,
  place: { groupId: string; before: number },
): Promise<void> {
  const { groupId, before } = place
  const epoch = context.database.groupKeys.make(groupId)
  if (epoch) await storeGroupSecret(context, { epoch, groupId, place: before - 1 })
}

/** Stores a secret as a message of its group, which takes it to the members. */
export async function storeGroupSecret(
  { userId, database, now }: SecretContext,
  { epoch, groupId, place }: { epoch: GroupEpoch; groupId: string; place: number },
): Promise<void> {
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
  // Before anything else looks: one secret is enough.
  database.groupKeys.take([message])
  await database.messages.insert(toStoredMessage(message, userId))
}
