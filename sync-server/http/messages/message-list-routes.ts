import type { Request, Response } from 'express'
import * as z from 'zod/mini'
import { type MessageAnswer, messageAnswer } from '../../../schema/api/message-answer.ts'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import { normalizeText } from '../../../schema/helpers/text.ts'
import { id } from '../../../schema/id.ts'
import { limits } from '../../../schema/limits.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { Caller } from '../../access/token-keeper.ts'
import type { FairQueue } from '../../budget/fair-queue.ts'
import { byNewest, type Digests } from '../../messages/digests/digests.ts'
import type { Channel } from '../../whatsapp/channel.ts'
import { RequestRefused, readWholeNumber } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'
import type { LookupLimit } from '../users/lookup-limit.ts'
import { createPage, type Page } from './answer-page.ts'
import { completeDigests } from './conversation-presenter.ts'
import type { GroupCalls } from './group-calls.ts'
import type { History } from './history.ts'
import type { MessagePresenter } from './message-presenter.ts'
import type { OwnConversations } from './own-conversations.ts'
import type { OwnMessages } from './own-messages.ts'

const outOfRange = `limit must be a number from 1 to ${limits.pageOfMessagesMax}`

/** Paging of the calls that list messages: `before` is the id of the message to start before. */
const messagePage = z.object({
  before: z.optional(id),
  limit: z._default(
    z.pipe(
      z.pipe(z.string(outOfRange).check(z.regex(/^\d{1,4}$/, outOfRange)), z.transform(Number)),
      z.number().check(z.gte(1, outOfRange), z.lte(limits.pageOfMessagesMax, outOfRange)),
    ),
    limits.pageOfMessages,
  ),
})

type MessagePage = z.infer<typeof messagePage>

const endOfTime = Number.MAX_SAFE_INTEGER

const inPieces = 'A page that gets too large ends early, and says in Link where the rest is.'

/** Lists messages: of one conversation, by phone number, by text, by star. */
export function createMessageListRoutes(options: {
  accounts: Accounts
  channel: Pick<Channel, 'calls'> | undefined
  messages: OwnMessages
  conversations: OwnConversations
  history: History
  presenter: MessagePresenter
  digests: Digests
  lookups: LookupLimit
  reads: FairQueue
  scans: FairQueue
  /** Undefined while there are no groups. */
  groups: GroupCalls | undefined
}): Route[] {
  const { accounts, channel, messages, conversations, history, presenter, digests } = options
  const { lookups, reads, scans, groups } = options

  async function readConversation(
    ownerId: string,
    peerId: string,
    page: MessagePage,
  ): Promise<{ found: Page; shown: MessageAnswer[] }> {
    const { clearedUpTo: after } = await conversations.find(ownerId, peerId)
    const from = page.before === undefined ? undefined : await messages.find(ownerId, page.before)
    if (from && from.peerId !== peerId) throw new RequestRefused('message_not_found')
    const stretch = { ownerId, peerId, after, before: from?.orderedAt ?? endOfTime }
    const found = await history.list(stretch, page.limit)
    return { found, shown: await presenter.presentAll(ownerId, found.messages) }
  }

  async function listConversation(asked: {
    caller: Caller
    peerId: string
    query: MessagePage
    signal: AbortSignal
    request: Request
    response: Response
  }) {
    const { caller, peerId, query, signal } = asked
    const key = caller.userId
    const read = () => readConversation(key, peerId, query)
    const { found, shown } = await reads.once({ key, signal }, read)
    tellRest(found, asked)
    return shown
  }

  return [
    defineRoute({
      method: 'get',
      path: '/messages/starred',
      access: 'signed-in',
      summary: `What you have starred, newest first, at most ${limits.starredMax}. ${inPieces}`,
      query: z.pick(messagePage, { before: true }),
      status: 200,
      answer: z.array(messageAnswer),
      errors: ['message_not_found'],
      async handle({ caller: { userId }, query: { before }, signal, request, response }) {
        const from = before === undefined ? undefined : await messages.find(userId, before)
        const asked = { ownerId: userId, from, limit: limits.starredMax, signal }
        const found = await listStarred({ ...asked, messages, conversations, digests, scans })
        tellRest(found, { request, response })
        return await presenter.presentAll(userId, found.messages)
      },
    }),

    defineRoute({
      method: 'get',
      path: '/messages/search',
      access: 'signed-in',
      summary: `Messages with this text in them, in any case, newest first; with userId of one conversation. ${inPieces}`,
      query: z.extend(messagePage, {
        query: z
          .string('A search text is required')
          .check(z.maxLength(1_000, 'This search text is too long')),
        userId: z.optional(z.string()),
      }),
      status: 200,
      answer: z.array(messageAnswer),
      errors: ['user_not_found', 'message_not_found'],
      async handle({ caller, query: { query: text, userId, before, limit }, ...call }) {
        const { userId: ownerId } = caller
        const { signal } = call
        const conversation = userId ? await conversations.find(ownerId, userId) : undefined
        const from = before === undefined ? undefined : await messages.find(ownerId, before)
        const asked = { ownerId, text, conversation, from, limit, signal }
        const found = await searchMessages({ messages, history, ...asked })
        tellRest(found, call)
        return await presenter.presentAll(ownerId, found.messages)
      },
    }),

    defineRoute({
      method: 'get',
      path: '/messages/phone/{phone}',
      access: 'signed-in',
      summary:
        'The conversation with the person of a whole phone number, as by their id; empty for nobody.',
      params: z.object({ phone: z.string() }),
      query: messagePage,
      status: 200,
      answer: z.array(messageAnswer),
      errors: ['message_not_found', 'too_many_lookups'],
      async handle({ caller, params, ...call }) {
        const { userId } = caller
        const { before } = call.query
        const digits = readWholeNumber(params.phone)
        lookups.count(userId)
        // Before the number is looked up: a stranger's number must answer as one that nobody has.
        if (before !== undefined) await messages.find(userId, before)
        const contact = await channel?.calls.findByPhone(userId, digits)
        if (contact) return await listConversation({ ...call, caller, peerId: contact.contactId })
        const account = await accounts.findByPhone(digits)
        if (!account || !(await conversations.has(userId, account.userId))) return []
        return await listConversation({ ...call, caller, peerId: account.userId })
      },
    }),

    defineRoute({
      method: 'get',
      path: '/messages/{id}',
      access: 'signed-in',
      summary: `The conversation with the person of this id: the newest messages, oldest first. ${inPieces}`,
      params: z.object({ id: z.string() }),
      query: messagePage,
      status: 200,
      answer: z.array(messageAnswer),
      errors: ['user_not_found', 'message_not_found'],
      async handle({ params: { id: peerId }, ...call }) {
        const { caller, query, signal } = call
        const { userId: key } = caller
        if (!groups || !(await groups.isOfPerson(key, peerId))) {
          return await listConversation({ ...call, peerId })
        }
        return await reads.once({ key, signal }, () => groups.list(key, peerId, query))
      },
    }),
  ]
}

/**
 * Links to the rest of a page that ended before its `limit` (RFC 8288): before its oldest message.
 * A caller who follows `before` each time also reaches the end, which is an empty page.
 */
function tellRest(
  { messages, isCut }: Page,
  { request, response }: { request: Request; response: Response },
): void {
  const oldest = messages.reduce<Page['messages'][number] | undefined>(
    (found, message) => (found && found.orderedAt <= message.orderedAt ? found : message),
    undefined,
  )
  if (!isCut || !oldest) return
  const url = new URL(request.originalUrl, 'http://petrel')
  url.searchParams.set('before', oldest._id)
  response.set('link', `<${url.pathname}${url.search}>; rel="next"`)
}

/**
 * The newest `limit` starred messages, newest first, without cleared ones.
 * @param asked.from lists only messages before this one
 */
async function listStarred(asked: {
  ownerId: string
  messages: OwnMessages
  conversations: OwnConversations
  digests: Digests
  scans: FairQueue
  from: MessageDocument | undefined
  limit: number
  signal: AbortSignal
}): Promise<Page> {
  const { ownerId, messages, conversations, digests, scans, from, limit, signal } = asked
  await completeDigests({ ownerId, messages, digests, signal })
  const shown = await conversations.list(ownerId)
  const clearedUpTo = new Map(shown.map((one) => [one._id, one.clearedUpTo]))
  const found = createPage({ limit, compare: byNewest })
  const stars = digests.walkStars(
    ownerId,
    (place) => place.orderedAt > (clearedUpTo.get(place.peerId) ?? 0) && isBefore(place, from),
  )
  for await (const page of scans.walk({ key: ownerId, signal }, stars)) {
    found.add(page)
    if (digests.areStarsInOrder && found.isFull()) break
  }
  return found.read()
}

/**
 * Finds messages by a part of their text, ignoring case, newest first. Deleted ones have no text.
 * @param asked.from searches only before this message
 */
async function searchMessages(asked: {
  messages: OwnMessages
  history: History
  ownerId: string
  text: string
  conversation: ConversationDocument | undefined
  from: MessageDocument | undefined
  limit: number
  signal: AbortSignal
}): Promise<Page> {
  const { messages, history, ownerId, conversation, from, limit, signal } = asked
  const wanted = fold(asked.text.trim())
  const found = createPage({ limit })
  if (wanted === '') return found.read()
  const isHit = ({ content }: MessageDocument) => fold(content).includes(wanted)
  if (!conversation) {
    const isWanted = (message: MessageDocument) => isBefore(message, from) && isHit(message)
    return await messages.scan(ownerId, { isWanted, limit, signal })
  }
  const { _id: peerId, clearedUpTo: after } = conversation
  const before = from?.orderedAt ?? Number.MAX_SAFE_INTEGER
  for await (const page of history.walk({ ownerId, peerId, after, before }, signal)) {
    found.add(page.filter(isHit))
    if (found.isFull()) break
  }
  return found.read()
}

/** Is it older than `from`? */
function isBefore(
  message: Pick<MessageDocument, '_id' | 'orderedAt'>,
  from: MessageDocument | undefined,
): boolean {
  if (!from) return true
  if (message.orderedAt !== from.orderedAt) return message.orderedAt < from.orderedAt
  return message._id < from._id
}

function fold(text: string): string {
  return normalizeText(text, 'NFKC').toLowerCase()
}
