import * as z from 'zod/mini'
import { epochHeader } from '../../../schema/api/epoch-header.ts'
import type { PushPayload } from '../../../schema/api/push.ts'
import { wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import type { InboxDocument } from '../../database/inbox/inbox.ts'

/** Browsers end a push after half a minute: the notification has to be there before. */
const fetchMs = 8_000

const stored = z.looseObject({ _id: z.string() })
const rows = z.object({
  rows: z.array(z.object({ doc: z.optional(z.nullable(stored)) })),
})

export interface News {
  documents: InboxDocument[]
  /** The messages that this version can read, oldest first. */
  messages: MessageDocument[]
}

/**
 * Fetches the messages that a push names, and their conversation, as replication would bring them.
 * Empty when the server cannot be reached in time.
 */
export async function fetchNews(options: {
  serverUrl: string
  token: string
  payload: Pick<PushPayload, 'peerId' | 'messageIds'>
  fetch: typeof globalThis.fetch
  now: number
}): Promise<News> {
  const { serverUrl, token, payload, now } = options

  async function ask(path: string, body?: unknown): Promise<{ epoch: string; answer: unknown }> {
    const response = await options.fetch(`${serverUrl}/sync/${path}`, {
      method: body ? 'POST' : 'GET',
      cache: 'no-store',
      signal: AbortSignal.timeout(fetchMs),
      headers: {
        authorization: `Bearer ${token}`,
        [wireHeader]: String(wireVersion),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!response.ok) throw new Error(`status ${response.status}`)
    return { epoch: response.headers.get(epochHeader) ?? '', answer: await response.json() }
  }

  const [found, conversation] = await Promise.all([
    ask('messages/_all_docs?include_docs=true', { keys: payload.messageIds }).catch(
      () => undefined,
    ),
    ask(`conversations/${payload.peerId}`).catch(() => undefined),
  ])
  const read = rows.safeParse(found?.answer)
  const documents = read.success ? read.data.rows.flatMap(({ doc }) => doc ?? []) : []
  const peer = stored.safeParse(conversation?.answer)
  const messages = documents.flatMap((each) => {
    const message = messageDocument.safeParse(each)
    return message.success ? [message.data] : []
  })
  return {
    documents: [
      ...documents.map((document) => ({
        collection: 'messages' as const,
        _id: document._id,
        epoch: found?.epoch ?? '',
        document,
        at: now,
      })),
      ...(peer.success
        ? [
            {
              collection: 'conversations' as const,
              _id: peer.data._id,
              epoch: conversation?.epoch ?? '',
              document: peer.data,
              at: now,
            },
          ]
        : []),
    ],
    messages: messages.toSorted((a, b) => a.orderedAt - b.orderedAt),
  }
}
