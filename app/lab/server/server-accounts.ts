import { v7 as createId } from 'uuid'
import { limits } from '../../../schema/limits.ts'

export interface Account {
  userId: string
  token: string
}

/** Creates an account over the API; throws the server's answer on a refusal. */
export async function registerAccount(origin: string, username: string): Promise<Account> {
  const { token, user } = await post(`${origin}/api/auth/register`, {
    username,
    email: `${username}@example.org`,
    password: `${username}-secret`,
  })
  return { token, userId: user._id }
}

/** Pushes `count` messages from `author` to `recipientId`, as a device does. */
export async function pushMessages({
  origin,
  author,
  recipientId,
  count,
}: {
  origin: string
  author: Account
  recipientId: string
  count: number
}): Promise<void> {
  const start = Date.now() - count
  for (let done = 0; done < count; done += limits.syncBatchMaxDocuments) {
    const size = Math.min(limits.syncBatchMaxDocuments, count - done)
    const docs = Array.from({ length: size }, (_, index) => ({
      _id: createId({ msecs: start + done + index }),
      peerId: recipientId,
      senderId: author.userId,
      recipientId,
      content: `message ${done + index + 1} of ${count}, with about as many words as people write`,
      createdAt: start + done + index,
      orderedAt: start + done + index,
      status: 'sending',
      attempt: 1,
    }))
    const rows = await post(`${origin}/sync/messages/_bulk_docs`, { docs }, author.token)
    if (!rows.every((row: { ok?: boolean }) => row.ok)) throw new Error(JSON.stringify(rows[0]))
  }
}

async function post(url: string, body: unknown, token?: string) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.json()
}
