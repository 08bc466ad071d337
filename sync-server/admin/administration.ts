import { createWriteStream } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { RequestHandler } from 'express'
import { Secret, TOTP } from 'otpauth'
import * as z from 'zod/mini'
import { wordsOf } from '../../schema/helpers/text.ts'
import type { AccountDeletion } from '../access/account-deletion.ts'
import type { PersonExport } from '../access/account-documents.ts'
import type { Accounts } from '../access/accounts.ts'
import type { LimitAttempts } from '../access/attempt-limiter.ts'
import type { PasswordResets } from '../access/password-resets.ts'
import type { Relations } from '../access/relations.ts'
import type { Reports } from '../access/reports.ts'
import type { Sessions } from '../access/sessions.ts'
import type { Caller } from '../access/token-keeper.ts'
import { BackupRefused, type Backups, createBackups } from '../backup/backups.ts'
import { examineData } from '../backup/doctor.ts'
import type { StorageQuota } from '../budget/storage-quota.ts'
import { RequestRefused, refuseTooEarly } from '../http/core/request-refused.ts'
import { defineRoute, type Route } from '../http/core/route.ts'
import type { Acceptance } from '../messages/message-acceptance.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Presence } from '../realtime/presence.ts'
import type { Storage } from '../storage/storage.ts'
import { ActionRefused, type AdminAction, createAdminActions } from './admin-actions.ts'
import { openAdminDoor } from './admin-door.ts'
import { type AdminStore, createAdminStore } from './admin-store.ts'
import { createHealth } from './health.ts'
import type { Mailer } from './mailer.ts'
import { createSystemMessages } from './system-messages.ts'

/** How long a session of an admin stays open after a code. */
const confirmedMs = 12 * 60 * 60 * 1000

const guesses = { max: 5, windowMs: 15 * 60 * 1000 }

const stepSeconds = 30

const secretBytes = 20

/** Enough for the largest account on a slow disk. */
const exportLimitMs = 60 * 60 * 1000

const given = z.object({
  code: z.string('A code is needed').check(z.regex(/^\d{6}$/, 'A code has six digits')),
})

/** Joins what administers the server: its actions, over a local socket and over the API. */
export async function openAdministration(options: {
  settings: {
    dataDir: string
    port: number
    couchdbUrl: string | undefined
    publicUrl: string | undefined
    tls: { cert: Buffer } | undefined
    backups: Parameters<typeof createBackups>[0]['schedule']
  }
  storage: Storage
  people: { accounts: Accounts; sessions: Sessions; reports: Reports; resets: PasswordResets }
  relations: Relations
  mailer: Mailer | undefined
  accountDeletion: AccountDeletion
  presence: Presence
  quota: StorageQuota
  metrics: Metrics
  acceptMessages: Acceptance['acceptMessages']
  limitAttempts: LimitAttempts
  exportPerson: PersonExport
  channelState: () => string
  onError: (error: unknown) => void
}) {
  const { settings, storage, people, metrics, limitAttempts, channelState, onError } = options
  const { accounts } = people
  const store = createAdminStore({ storage })
  const { acceptMessages, relations } = options
  const system = createSystemMessages({ store, accounts, acceptMessages, relations })
  const health = createHealth({
    metrics,
    store,
    dataDir: settings.couchdbUrl === undefined ? settings.dataDir : undefined,
    certificate: settings.tls?.cert,
    backupEveryMs: settings.backups?.everyMs,
    channelState,
  })
  const actions = createAdminActions({
    ...people,
    store,
    accountDeletion: options.accountDeletion,
    presence: options.presence,
    quota: options.quota,
    system,
    mailer: options.mailer,
    health,
    url: settings.publicUrl ?? `http://localhost:${settings.port}`,
  })
  const backups = createBackups({
    dataDir: settings.dataDir,
    readAll: storage.readAll,
    schedule: settings.backups,
    readLast: async () => (await store.readBackup())?.at,
    onMade: ({ path, bytes }) => store.recordBackup({ path, bytes }),
    onError,
  })
  /** They name paths of this machine: only who is on it may. */
  const local = new Map([
    ...actions,
    ['backup', createBackupAction({ backups, store })],
    ['doctor', createDoctorAction(storage)],
    ['export-person', createExportAction({ accounts, store, exportPerson: options.exportPerson })],
  ] as const)
  // Without it the API is the only door; a server that serves people must not fail for that.
  const door = await openAdminDoor({ dataDir: settings.dataDir, actions: local, onError }).catch(
    (error: unknown) => onError(error),
  )
  const { routes, requireAdmin } = createAdminRoutes({ actions, store, accounts, limitAttempts })
  return {
    store,
    routes,
    requireAdmin,
    isSystem: system.isSystem,
    async close(): Promise<void> {
      health.close()
      await backups.close()
      await door?.close()
    },
  }
}

const wholePath = z
  .string('A path is needed')
  .check(z.refine((path) => isAbsolute(path), 'The path has to be whole'))

const backupAsked = z.object({
  folder: wholePath,
  recipient: z.optional(z.string()),
})

function createBackupAction({
  backups,
  store,
}: {
  backups: Backups
  store: AdminStore
}): AdminAction {
  return {
    summary: 'Makes a backup in a folder of this machine',
    input: backupAsked,
    async run(input, actor) {
      const { folder, recipient } = backupAsked.parse(input)
      try {
        const made = await backups.make(folder, recipient)
        await store.record({ actor, action: 'backup', subject: made.path })
        return { ...made }
      } catch (error) {
        if (!(error instanceof BackupRefused)) throw error
        throw new ActionRefused(error.message, { cause: error })
      }
    },
  }
}

const exportAsked = z.object({
  name: z.string('A name is needed').check(z.minLength(1, 'A name is needed')),
  file: wholePath,
  reason: z.optional(z.string()),
})

/** What everybody can download of themselves, for a request that has to be answered without them. */
function createExportAction(options: {
  accounts: Accounts
  store: AdminStore
  exportPerson: PersonExport
}): AdminAction {
  const { accounts, store, exportPerson } = options
  return {
    summary: 'Writes what is kept about a person into a file of this machine',
    input: exportAsked,
    async run(input, actor) {
      const { name, file, reason } = exportAsked.parse(input)
      const account = (await accounts.findByName(name)) ?? (await accounts.find(name))
      if (!account) {
        throw new ActionRefused(`Nobody here is called “${name}”. \`people list\` shows who is.`)
      }
      // Before the work: nobody may be exported without a trace.
      const { username, userId } = account
      await store.record({ actor, action: 'export-person', subject: username, reason })
      const target = createWriteStream(file, { flags: 'wx', mode: 0o600 })
      const pieces = exportPerson(account, AbortSignal.timeout(exportLimitMs))
      try {
        await pipeline(Readable.from(pieces), target)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'EEXIST') {
          throw new ActionRefused(`There is a file ${file} already: nothing was written.`)
        }
        await unlink(file).catch(() => undefined)
        if (code === 'ENOENT') throw new ActionRefused(`There is no folder for ${file}.`)
        throw new ActionRefused(`${file} was not written: ${wordsOf(error)}`, { cause: error })
      }
      return { name: username, id: userId, file, bytes: target.bytesWritten }
    },
  }
}

function createDoctorAction(storage: Storage): AdminAction {
  return {
    summary: 'Checks what is stored, and changes nothing',
    input: z.object({}),
    run: async () => ({ ...(await examineData(storage)) }),
  }
}

/** Administration over the API, for accounts with rights and a second factor; others get a 404. */
function createAdminRoutes(options: {
  actions: ReadonlyMap<string, AdminAction>
  store: AdminStore
  accounts: Accounts
  limitAttempts: LimitAttempts
  now?: () => number
}): { routes: Route[]; requireAdmin: RequestHandler } {
  const { actions, store, accounts, limitAttempts, now = Date.now } = options
  const attempts = limitAttempts('codes of admins', guesses)

  const requireAdmin: RequestHandler = async (request, _response, next) => {
    const { caller } = request
    if (!caller || !(await store.isAdmin(caller.userId))) throw new RequestRefused('not_found')
    next()
  }

  async function isConfirmed({ userId, sessionId }: Caller): Promise<boolean> {
    const admin = await store.readAdmin(userId)
    return (admin?.confirmed?.[sessionId] ?? 0) > now()
  }

  async function nameOf(userId: string): Promise<string> {
    const account = await accounts.find(userId)
    if (!account) throw new RequestRefused('not_found')
    return account.username
  }

  const actionRoutes = [...actions].map(([words, action]) =>
    defineRoute({
      method: 'post',
      path: `/admin/${words.replace(' ', '/')}`,
      access: 'admin',
      summary: `For admins. ${action.summary}.`,
      body: action.input,
      status: 200,
      answer: z.record(z.string(), z.unknown()),
      errors: ['action_refused'],
      async handle({ caller, body }) {
        if (!(await isConfirmed(caller))) throw new RequestRefused('second_factor_needed')
        const { userId } = caller
        const actor = { kind: 'admin' as const, userId, username: await nameOf(userId) }
        try {
          return await action.run(body, actor)
        } catch (error) {
          if (!(error instanceof ActionRefused)) throw error
          throw new RequestRefused('action_refused', { words: error.message, cause: error })
        }
      },
    }),
  )

  const factorRoutes = [
    defineRoute({
      method: 'get',
      path: '/admin/second-factor',
      access: 'admin',
      summary: 'For admins. Whether you have a second factor, and have shown it in this session.',
      status: 200,
      answer: z.object({ hasSecondFactor: z.boolean(), isConfirmed: z.boolean() }),
      async handle({ caller }) {
        const admin = await store.readAdmin(caller.userId)
        const hasSecondFactor = admin?.confirmedAt !== undefined
        return { hasSecondFactor, isConfirmed: await isConfirmed(caller) }
      },
    }),
    defineRoute({
      method: 'post',
      path: '/admin/second-factor',
      access: 'admin',
      summary:
        'For admins without a second factor. Makes one, for an authenticator app; a code then confirms it.',
      status: 200,
      answer: z.object({ secret: z.string(), uri: z.string() }),
      errors: ['action_refused'],
      async handle({ caller: { userId } }) {
        const secret = new Secret({ size: secretBytes }).base32
        const isBegun = await store.changeAdmin(userId, (admin) =>
          admin.confirmedAt === undefined ? { ...admin, secret } : null,
        )
        if (!isBegun) {
          const words =
            'You have a second factor. Whoever runs the server takes it away by `petrel admin revoke` and `grant`.'
          throw new RequestRefused('action_refused', { words })
        }
        return { secret, uri: createCodes(secret, await nameOf(userId)).toString() }
      },
    }),
    defineRoute({
      method: 'put',
      path: '/admin/second-factor',
      access: 'admin',
      summary: 'For admins. Opens administration for this session, by a code of the second factor.',
      body: given,
      status: 200,
      answer: z.object({ isConfirmed: z.literal(true) }),
      errors: ['second_factor_wrong', 'too_many_attempts'],
      async handle({ caller: { userId, sessionId }, body: { code } }) {
        refuseTooEarly(attempts.secondsToWait(userId), 'too_many_attempts')
        attempts.count(userId)
        const isRight = await store.changeAdmin(userId, (admin) => {
          if (admin.secret === undefined) return null
          const at = now()
          const delta = createCodes(admin.secret, '').validate({
            token: code,
            timestamp: at,
            window: 1,
          })
          const step = Math.floor(at / 1000 / stepSeconds) + (delta ?? 0)
          if (delta === null || step <= (admin.lastStep ?? 0)) return null
          const open = Object.entries(admin.confirmed ?? {}).filter(([, until]) => until > at)
          const confirmed = { ...Object.fromEntries(open), [sessionId]: at + confirmedMs }
          return { ...admin, confirmedAt: admin.confirmedAt ?? at, lastStep: step, confirmed }
        })
        if (!isRight) throw new RequestRefused('second_factor_wrong')
        attempts.forget(userId)
        return { isConfirmed: true as const }
      },
    }),
  ]

  return { routes: [...actionRoutes, ...factorRoutes], requireAdmin }
}

/** RFC 6238, as every authenticator app knows it. */
function createCodes(secret: string, label: string): TOTP {
  return new TOTP({
    issuer: 'Petrel',
    label,
    secret: Secret.fromBase32(secret),
    period: stepSeconds,
  })
}
