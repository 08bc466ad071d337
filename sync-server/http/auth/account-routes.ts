import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type AccountExport, accountExport } from '../../../schema/api/account-export.ts'
import { accountDeletion as deletionBody } from '../../../schema/api/auth.ts'
import { accountDeleted } from '../../../schema/api/done-answers.ts'
import type { MessageAnswer } from '../../../schema/api/message-answer.ts'
import type { ConversationDocument } from '../../../schema/conversation.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { AccountDeletion } from '../../access/account-deletion.ts'
import type {
  AccountDocument,
  PersonExport,
  SessionDocument,
} from '../../access/account-documents.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { Relations } from '../../access/relations.ts'
import type { Reports } from '../../access/reports.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { FairQueue } from '../../budget/fair-queue.ts'
import { toIso, toIsoOrNull } from '../../lib/to-iso.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { alreadySent, defineRoute, type Route } from '../core/route.ts'
import type { GroupCalls } from '../messages/group-calls.ts'
import type { MessagePresenter } from '../messages/message-presenter.ts'
import type { OwnConversations } from '../messages/own-conversations.ts'
import type { OwnMessages } from '../messages/own-messages.ts'
import { findAccount } from '../users/find-account.ts'
import type { UserPresenter } from '../users/user-presenter.ts'
import { withDepartureSignal } from './departure-signal.ts'
import type { PasswordCheck } from './password-check.ts'

/** Exporting and deleting one's account. */
export function createAccountRoutes(options: {
  accounts: Accounts
  accountDeletion: AccountDeletion
  checkPassword: PasswordCheck
  exportPerson: PersonExport
}): Route[] {
  const { accounts, accountDeletion, checkPassword, exportPerson } = options
  return [
    defineRoute({
      method: 'get',
      path: '/users/me/export',
      access: 'signed-in',
      summary: 'Everything that is kept of you, as one JSON file, streamed.',
      status: 200,
      answer: accountExport,
      errors: ['user_not_found'],
      async handle({ caller, signal, response }) {
        const account = await findAccount(accounts, caller.userId)
        const pieces = exportPerson(account, signal)
        // A refusal comes before the answer begins.
        const first = await pieces.next()
        response.set({
          'content-type': 'application/json; charset=utf-8',
          'content-disposition': 'attachment; filename="petrel-export.json"',
        })
        const whole = Readable.from(begin(first.value, pieces))
        await pipeline(whole, response)
          .catch(ignoreDeparture)
          .finally(() => pieces.return(undefined))
        return alreadySent
      },
    }),

    defineRoute({
      method: 'delete',
      path: '/users/me',
      access: 'signed-in',
      summary:
        'Deletes your account, with your password: its databases and its sign-ins. What others have from you stays with them; reports are kept for a year. Your name stays reserved for your email for 30 days, or for a year after a report about you.',
      body: deletionBody,
      status: 200,
      answer: accountDeleted,
      errors: ['wrong_password', 'too_many_attempts', 'user_not_found'],
      async handle({ caller: { userId }, body: shown, address, response }) {
        const account = await findAccount(accounts, userId)
        const isRight = await withDepartureSignal(response, (gone) =>
          checkPassword({ account, name: userId, shown, address, gone }),
        )
        if (isRight === alreadySent) return alreadySent
        const verified = account.passwordChanges
        if (!isRight || !(await accountDeletion.leave(userId, { verified }))) {
          throw new RequestRefused('wrong_password')
        }
        return { isDeleted: true as const }
      },
    }),
  ]
}

async function* begin(first: string, rest: AsyncGenerator<string>) {
  yield first
  yield* rest
}

/** A caller who disconnects midway is no error. */
function ignoreDeparture(error: unknown) {
  const { code } = (error ?? {}) as { code?: unknown }
  if (code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
}

/**
 * Everything stored about a person, as pieces of one JSON text; holds at most one page in memory.
 */
export async function* exportAccount(options: ExportOptions): AsyncGenerator<string> {
  const { account, messages, groups, scans, signal } = options
  const pages = messages.walk(account.userId, signal)
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
    for await (const page of groups?.walk({ userId: account.userId, scans, signal }) ?? []) {
      for (const message of describeAll(page)) {
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
  account: AccountDocument
  users: UserPresenter
  sessions: Sessions
  relations: Relations
  reports: Reports
  messages: OwnMessages
  conversations: OwnConversations
  presenter: MessagePresenter
  /** Undefined while there are none. */
  groups: Pick<GroupCalls, 'listGroups' | 'walk'> | undefined
  scans: FairQueue
  signal: AbortSignal
}

async function describeHead(options: ExportOptions): Promise<string> {
  const { account, users, sessions, relations, reports, conversations, groups } = options
  const { userId, formerNames = [] } = account
  const head: Omit<AccountExport, 'messages'> = {
    exportedAt: toIso(Date.now()),
    user: await users.presentOwn(account),
    formerNames,
    sessions: (await sessions.list(userId)).map(describeSession),
    blockedUsers: (await relations.listBlocked(userId)).map(({ otherId, blockedAt }) => ({
      userId: otherId,
      blockedAt: toIso(blockedAt),
    })),
    reports: (await reports.list(userId)).map(({ reportedId, reason, messages, reportedAt }) => ({
      userId: reportedId,
      reason,
      ...(messages && { messages }),
      reportedAt: toIso(reportedAt),
    })),
    conversations: (await conversations.list(userId)).map(describeConversation),
    ...(groups && { groups: await groups.listGroups(userId) }),
  }
  return `${JSON.stringify(head).slice(0, -1)},"messages":[`
}

async function describeMessages(
  { account, presenter }: ExportOptions,
  page: readonly MessageDocument[],
): Promise<string[]> {
  return describeAll({ stored: page, shown: await presenter.presentAll(account.userId, page) })
}

function describeAll(page: {
  stored: readonly MessageDocument[]
  shown: readonly MessageAnswer[]
}): string[] {
  return page.shown.map((message, index) => {
    const { statusHistory = [] } = page.stored[index] ?? {}
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
