import { v7 as createId } from 'uuid'
import { limits } from '../../../../schema/limits.ts'
import type { Account } from '../../server/server-accounts.ts'

const content = 'as many words as people write in one message of a chat'

/** @returns the id of a group with these members */
export async function openGroup(
  origin: string,
  owner: Account,
  others: readonly Pick<Account, 'userId'>[],
): Promise<string> {
  const body = { name: 'Walks', memberIds: others.map(({ userId }) => userId) }
  const { group } = (await askAs(origin, owner, '/api/groups', body)) as { group: { _id: string } }
  return group._id
}

/** Writes that many messages into a group, as its author's device does. */
export async function fillGroup(given: {
  origin: string
  author: Account
  groupId: string
  count: number
}) {
  const { origin, author, groupId, count } = given
  for (let done = 0; done < count; done += limits.syncBatchMaxDocuments) {
    const size = Math.min(limits.syncBatchMaxDocuments, count - done)
    const docs = Array.from({ length: size }, () => {
      const now = Date.now()
      return {
        ...{ _id: createId(), peerId: groupId, senderId: author.userId, recipientId: groupId },
        ...{ content, createdAt: now, orderedAt: now, status: 'sending', attempt: 1 },
      }
    })
    await askAs(origin, author, `/sync/groups/${groupId}/_bulk_docs`, { docs })
  }
}

/** Calls the server as this person. @throws Error with the answer that is no success */
export async function askAs(
  origin: string,
  { token }: Account,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${origin}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return await response.json()
}
