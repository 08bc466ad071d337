import type { AccountExport } from '../../../schema/api/account-export.ts'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { OwnUser } from '../../../schema/user.ts'
import type { SessionDocument } from '../../access/account-documents.ts'
import type { Relations } from '../../access/relations.ts'
import type { Reports } from '../../access/reports.ts'
import type { Sessions } from '../../access/sessions.ts'
import { toIso, toIsoOrNull } from '../../lib/to-iso.ts'
import type { MessagePresenter } from '../messages/message-presenter.ts'
import type { OwnConversations } from '../messages/own-conversations.ts'
import type { OwnMessages } from '../messages/own-messages.ts'

/**
 * Everything stored about a person, as pieces of one JSON text; holds at most one page in memory.
 */
export async function* exportAccount(options: ExportOptions): AsyncGenerator<string> {
  const { user, messages, signal } = options
  const pages = messages.walk(user._id, signal)
  try {
    // Refuses a caller who asks for too much before the first piece.
    const first = await pages.next()
    yield await describeHead(options)
    let separator = ''
    for (let read = first; !read.done; read = await pages.next()) {
      for (const message of await describeMessages(options, read.value)) {
        yield `${separator}${message}`
        separator = ','
      }
    }
    yield ']}'
  } finally {
    await pages.return(undefined)
  }
}

interface ExportOptions {
  user: OwnUser
  formerNames: readonly string[]
  sessions: Sessions
  relations: Relations
  reports: Reports
  messages: OwnMessages
  conversations: OwnConversations
  presenter: MessagePresenter
  signal: AbortSignal
}

async function describeHead(options: ExportOptions): Promise<string> {
  const { user, sessions, relations, reports, conversations } = options
  const { _id: userId } = user
  const head: Omit<AccountExport, 'messages'> = {
    exportedAt: toIso(Date.now()),
    user,
    formerNames: [...options.formerNames],
    sessions: (await sessions.list(userId)).map(describeSession),
    blockedUsers: (await relations.listBlocked(userId)).map(({ otherId, blockedAt }) => ({
      userId: otherId,
      blockedAt: toIso(blockedAt),
    })),
    reports: (await reports.list(userId)).map(({ reportedId, reason, reportedAt }) => ({
      userId: reportedId,
      reason,
      reportedAt: toIso(reportedAt),
    })),
    conversations: (await conversations.list(userId)).map(describeConversation),
  }
  return `${JSON.stringify(head).slice(0, -1)},"messages":[`
}

async function describeMessages(
  { user, presenter }: ExportOptions,
  page: readonly MessageDocument[],
): Promise<string[]> {
  const shown = await presenter.presentAll(user._id, page)
  return shown.map((message, index) => {
    const { statusHistory = [] } = page[index] ?? {}
    const history = statusHistory.map(({ status, timestamp }) => ({
      status,
      timestamp: toIso(timestamp),
    }))
    return JSON.stringify({ ...message, history })
  })
}

function describeSession(session: SessionDocument): AccountExport['sessions'][number] {
  const { sessionId, device, createdAt, lastUsedAt, expiresAt } = session
  return {
    _id: sessionId,
    device,
    createdAt: toIso(createdAt),
    lastUsedAt: toIso(lastUsedAt),
    expiresAt: toIso(expiresAt),
  }
}

function describeConversation(
  stored: ConversationDocument,
): AccountExport['conversations'][number] {
  const { _id, isPinned, isArchived, isMuted, mutedUntil, deliveredUpTo, readUpTo, clearedUpTo } =
    stored
  return {
    _id,
    isPinned,
    isArchived,
    isMuted,
    ...(mutedUntil !== undefined && { mutedUntil: toIso(mutedUntil) }),
    deliveredUpTo: toIsoOrNull(deliveredUpTo),
    readUpTo: toIsoOrNull(readUpTo),
    clearedUpTo: toIsoOrNull(clearedUpTo),
  }
}
