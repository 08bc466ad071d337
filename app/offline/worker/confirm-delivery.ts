import type { PushPayload } from '../../../schema/api/push.ts'
import { wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import type { News } from './fetch-news.ts'

const confirmMs = 8_000

/**
 * Tells the author that the messages have arrived, once they are stored here. Everything before
 * the newest counts as arrived with it: so only if all of it was named, and is stored. Otherwise,
 * and for what is lost here, the app says it.
 */
export async function confirmDelivery(options: {
  serverUrl: string
  token: string
  payload: PushPayload
  news: Pick<News, 'documents' | 'messages'>
  fetch: typeof globalThis.fetch
}): Promise<void> {
  const { serverUrl, token, payload, news } = options
  const stored = new Set(news.documents.map(({ _id }) => _id))
  const newest = news.messages.findLast(({ senderId }) => senderId === payload.peerId)
  const { messageIds, owedIds } = payload
  if (!owedIds || !newest || ![...messageIds, ...owedIds].every((id) => stored.has(id))) return
  await options.fetch(`${serverUrl}/api/messages/${newest._id}/status`, {
    method: 'PUT',
    signal: AbortSignal.timeout(confirmMs),
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      [wireHeader]: String(wireVersion),
    },
    body: JSON.stringify({ status: 'delivered' }),
  })
}
