import * as z from 'zod/mini'
import { epochHeader } from '../../../schema/api/epoch-header.ts'
import type { PushPayload } from '../../../schema/api/push.ts'
import { wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import { type ConversationDocument, conversationDocument } from '../../../schema/conversation.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import type { InboxDocument } from '../../database/inbox/inbox.ts'

/** Browsers end a push after half a minute: the notification has to be there before. */
const fetchMs = 8_000
const chatsAskedMax = 50

const stored = z.looseObject({ _id: z.string() })
const rows = z.object({
  rows: z.array(z.object({ doc: z.optional(z.nullable(stored)) })),
})

export interface News {
  /** The pushed messages, their chat, and who wrote. */
  documents: InboxDocument[]
  /** The messages that this version can read, oldest first. */
  messages: MessageDocument[]
  /** Of all chats that were asked for. */
  conversations: ConversationDocument[]
}

/**
 * Fetches the messages that a push names, their conversation, as replication would bring them, and
 * their author. Empty when the server cannot be reached in time.
 * @param peerIds further chats, to learn whether they were read
 */
export async function fetchNews(options: {
  serverUrl: string
  token: string
  payload: Pick<PushPayload, 'peerId'> & { messageIds: readonly string[] }
  peerIds?: readonly string[]
  fetch: typeof globalThis.fetch
  now: number
}): Promise<News> {
  const { serverUrl, token, payload, peerIds = [], now } = options
  const { peerId, messageIds } = payload

  async function ask(path: string, body?: unknown): Promise<{ epoch: string; answer: unknown }> {
    const response = await options.fetch(`${serverUrl}/${path}`, {
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

  /** As the inbox keeps them; none when they cannot be had. */
  async function read(collection: 'messages' | 'conversations', keys: readonly string[]) {
    if (keys.length === 0) return []
    const path = `sync/${collection}/_all_docs?include_docs=true`
    const found = await ask(path, { keys }).catch(() => undefined)
    const parsed = rows.safeParse(found?.answer)
    const documents = parsed.success ? parsed.data.rows.flatMap(({ doc }) => doc ?? []) : []
    return documents.map((document) => keep(collection, document, found?.epoch))
  }

  function keep(
    collection: InboxDocument['collection'],
    document: InboxDocument['document'],
    epoch = '',
  ): InboxDocument {
    return { collection, _id: document._id, epoch, document, at: now }
  }

  async function readAuthor() {
    if (messageIds.length === 0) return []
    const found = await ask(`api/users/${peerId}`).catch(() => undefined)
    const parsed = stored.safeParse(found?.answer)
    return parsed.success ? [keep('people', parsed.data)] : []
  }

  const chats = [...new Set([peerId, ...peerIds])].slice(0, chatsAskedMax)
  const [messages, conversations, author] = await Promise.all([
    read('messages', messageIds),
    read('conversations', chats),
    readAuthor(),
  ])
  return {
    documents: [...messages, ...conversations.filter(({ _id }) => _id === peerId), ...author],
    messages: parseAll(messageDocument, messages).toSorted((a, b) => a.orderedAt - b.orderedAt),
    conversations: parseAll(conversationDocument, conversations),
  }
}

function parseAll<T>(schema: z.ZodMiniType<T>, kept: readonly InboxDocument[]): T[] {
  return kept.flatMap(({ document }) => {
    const parsed = schema.safeParse(document)
    return parsed.success ? [parsed.data] : []
  })
}
