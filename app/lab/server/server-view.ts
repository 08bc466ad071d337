import { isDeepStrictEqual } from 'node:util'
import type { GroupAnswer, GroupChangesAnswer } from '../../../schema/api/groups.ts'
import { type ConversationDocument, conversationDocument } from '../../../schema/conversation.ts'
import { type MessageDocument, messageDocument } from '../../../schema/message.ts'
import { closeMessage } from '../../encryption/sealed-message.ts'

type Kind = 'messages' | 'conversations'

/**
 * A person's databases as the server shows them to any CouchDB client, without the lab's faults.
 */
export interface ServerView {
  /** Also those of groups that they may read. */
  messages(): Promise<Map<string, MessageDocument>>
  /** The groups that they are or were in; undefined for those that they left. */
  groups(): Promise<Map<string, GroupAnswer | undefined>>
  conversations(): Promise<Map<string, ConversationDocument>>
  /** Does this file address exist, and may this person read it? */
  hasFile(mediaUrl: string): Promise<boolean>
  /** Pushes documents unchanged, as a forger's program would. Returns CouchDB's rows. */
  push(
    kind: Kind,
    documents: readonly object[],
  ): Promise<{ id?: string; ok?: boolean; error?: string }[]>
}

/** @param options.renew signs in again: a changed password ends other sign-ins */
export function createServerView(options: {
  serverUrl: () => string
  readToken: () => string
  renew: () => Promise<void>
}): ServerView {
  const { serverUrl, readToken, renew } = options

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    const send = () =>
      fetch(`${serverUrl()}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${readToken()}`, 'content-type': 'application/json' },
      })
    const response = await send()
    if (response.status !== 401) return response
    await response.body?.cancel()
    await renew()
    return await send()
  }

  async function ask(path: string, body?: unknown): Promise<unknown> {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await request(`/sync/${path}`, init)
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return await response.json()
  }

  async function readAll<T extends { _id: string }>(kind: Kind): Promise<Map<string, T>> {
    const { rows } = (await ask(`${kind}/_all_docs?include_docs=true`)) as {
      rows: { id: string; doc: T }[]
    }
    return new Map(rows.map(({ id, doc }) => [id, doc]))
  }

  const state = { hasGroups: true }

  /** What this person may read in all groups that they are or were in. */
  async function readGroups(): Promise<GroupChangesAnswer['groups']> {
    const found: GroupChangesAnswer['groups'] = []
    const since: Record<string, unknown> = {}
    while (state.hasGroups) {
      const body = JSON.stringify({ since, limit: 500 })
      const response = await request('/sync/groups/_changes', { method: 'POST', body })
      state.hasGroups = response.status !== 404
      if (!state.hasGroups) break
      if (!response.ok) throw new Error(`groups: ${response.status} ${await response.text()}`)
      const { groups } = (await response.json()) as GroupChangesAnswer
      if (groups.length === 0) break
      found.push(...groups)
      for (const { _id, last_seq } of groups) since[_id] = last_seq
    }
    return found
  }

  return {
    async messages() {
      const all = await readAll<MessageDocument>('messages')
      const groups = await readGroups()
      // A group's copy has nobody's star: this person's lie in their own conversation.
      const own =
        groups.length > 0 ? await readAll<ConversationDocument>('conversations') : new Map()
      for (const { _id, results } of groups)
        for (const { doc } of results) all.set(doc._id, withFlags(doc, own.get(_id)))
      return all
    },
    async groups() {
      const groups = new Map<string, GroupAnswer | undefined>()
      for (const { _id, group, isMember } of await readGroups()) {
        groups.set(_id, isMember ? (group ?? groups.get(_id)) : undefined)
      }
      return groups
    },
    conversations: () => readAll<ConversationDocument>('conversations'),
    async hasFile(mediaUrl) {
      const response = await request(mediaUrl)
      await response.body?.cancel()
      return response.ok
    },
    push: async (kind, docs) =>
      (await ask(`${kind}/_bulk_docs`, { docs })) as Awaited<ReturnType<ServerView['push']>>,
  }
}

function withFlags(message: MessageDocument, own: ConversationDocument | undefined) {
  const star = message.deletedAt === undefined ? own?.stars?.[message._id] : undefined
  const hiding = own?.hidden?.[message._id]
  return {
    ...message,
    ...(star && { isStarred: star.isStarred, isStarredAt: star.at }),
    ...(hiding && { isHidden: hiding.isHidden, isHiddenAt: hiding.at }),
  }
}

const fields: Record<Kind, readonly string[]> = {
  messages: Object.keys(messageDocument.shape),
  conversations: Object.keys(conversationDocument.shape),
}

/** All that is replicated of it, as JSON has it: a device has the words open, and sends them sealed. */
function pickReplicated(
  kind: Kind,
  document: object,
  isOfGroup: (message: MessageDocument) => boolean,
) {
  const message = document as MessageDocument
  const shared = kind === 'messages' && isOfGroup(message) ? withoutKept(message) : message
  const sent: object = kind === 'messages' ? closeMessage(shared) : document
  const picked = Object.entries(sent).filter(([field]) => fields[kind].includes(field))
  return JSON.parse(JSON.stringify(Object.fromEntries(picked)))
}

/** What a group refused is stored on the device alone, as is when somebody starred what was deleted there since. */
function withoutKept({ refused, ...rest }: MessageDocument): MessageDocument {
  return { ...rest, ...(rest.deletedAt !== undefined && { isStarredAt: 0 }) }
}

/** The ids of documents that differ between, or are missing on, either side. */
export function findDifferences(sides: {
  kind: Kind
  here: ReadonlyMap<string, object>
  there: ReadonlyMap<string, object>
  /** A message in any other conversation is a group's. */
  people: ReadonlySet<string>
}): string[] {
  const { kind, here, there, people } = sides
  const isOfGroup = ({ peerId, recipientId }: MessageDocument) =>
    peerId === recipientId && !people.has(peerId)
  // Not by the product's own comparison: what that overlooks is never pushed.
  const areEqual = (a: object, b: object) =>
    isDeepStrictEqual(pickReplicated(kind, a, isOfGroup), pickReplicated(kind, b, isOfGroup))
  const ids = new Set([...here.keys(), ...there.keys()])
  return [...ids].filter((id) => {
    const [a, b] = [here.get(id), there.get(id)]
    return !a || !b || !areEqual(a, b)
  })
}
