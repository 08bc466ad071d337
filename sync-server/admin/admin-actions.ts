import * as z from 'zod/mini'
import { limits } from '../../schema/limits.ts'
import { phoneNumber, profileName } from '../../schema/user.ts'
import type { AccountDeletion } from '../access/account-deletion.ts'
import type { AccountDocument } from '../access/account-documents.ts'
import type { Accounts } from '../access/accounts.ts'
import type { AccountChange } from '../access/change-account.ts'
import type { PasswordResets } from '../access/password-resets.ts'
import type { ReportDocument, Reports } from '../access/reports.ts'
import type { Sessions } from '../access/sessions.ts'
import type { StorageQuota } from '../budget/storage-quota.ts'
import type { Presence } from '../realtime/presence.ts'
import type { Actor, AdminStore } from './admin-store.ts'
import type { Health } from './health.ts'
import type { Mailer } from './mailer.ts'
import type { SystemMessages } from './system-messages.ts'

/** An action that cannot be done. `message`: words for whoever asked. */
export class ActionRefused extends Error {
  override name = 'ActionRefused'
}

/** What an action gives. `said`: a sentence for a person; the rest is for programs. */
export type ActionResult = { said?: string } & Record<string, unknown>

export interface AdminAction {
  summary: string
  input: z.ZodMiniType
  run(input: unknown, actor: Actor): Promise<ActionResult>
}

const megabyte = 1024 * 1024
const peopleListedMax = 1_000
const pageSize = 200
const shortIdLength = 8
const iso = (epochMs: number) => new Date(epochMs).toISOString()

const name = z
  .string('A name is needed')
  .check(z.minLength(1, 'A name is needed'), z.maxLength(320))
const reason = z.optional(z.string().check(z.maxLength(limits.reportReasonMaxLength)))
const someone = z.object({ name, reason })
const listing = z.object({
  search: z.optional(z.string().check(z.maxLength(320))),
  limit: z.optional(z.int('The limit is a whole number').check(z.gte(1), z.lte(peopleListedMax))),
})
const text = z
  .string('A text is needed')
  .check(z.minLength(1, 'A text is needed'), z.maxLength(limits.messageMaxCharacters))
const reportId = z.object({ id: z.string().check(z.minLength(1), z.maxLength(200)), reason })
const days = z.int('days is a whole number').check(z.gte(1), z.lte(365))
const uses = z.int('uses is a whole number').check(z.gte(1), z.lte(10_000))

/** Everything that administration can do, by its words. The socket and the API call the same. */
export function createAdminActions(options: {
  store: AdminStore
  accounts: Accounts
  sessions: Sessions
  reports: Reports
  accountDeletion: AccountDeletion
  presence: Presence
  quota: StorageQuota
  system: SystemMessages
  mailer: Mailer | undefined
  health: Health
  resets: PasswordResets
  /** What links begin with. */
  url: string
}): ReadonlyMap<string, AdminAction> {
  const { store, accounts, sessions, reports, accountDeletion, presence, quota, system } = options
  const linkTo = (path: string) => `${options.url}${path}`

  async function find(given: string): Promise<AccountDocument> {
    const found = (await accounts.findByName(given)) ?? (await accounts.find(given))
    if (!found)
      throw new ActionRefused(`Nobody here is called “${given}”. \`people list\` shows who is.`)
    return found
  }

  async function findOther(given: string, actor: Actor): Promise<AccountDocument> {
    const found = await find(given)
    if (actor.kind === 'admin' && actor.userId === found.userId) {
      throw new ActionRefused('You cannot do this to your own account. Ask another admin.')
    }
    if (system.isSystem(found.userId)) {
      throw new ActionRefused('Announcements come from this account: it stays as it is.')
    }
    return found
  }

  async function disable(account: AccountDocument) {
    const ended = (await sessions.list(account.userId)).length
    await accounts.setDisabled(account.userId, true)
    await sessions.removeAll(account.userId)
    return ended
  }

  async function listEverybody(take: (page: readonly AccountDocument[]) => boolean) {
    for (let after: string | undefined; ; ) {
      const page = await accounts.listAfter(after, pageSize)
      if (!take(page.accounts) || page.last === undefined) return
      after = page.last
    }
  }

  async function presentAll(found: readonly AccountDocument[]) {
    const ids = found.map(({ userId }) => userId)
    const [seen, admins] = await Promise.all([accounts.readLastSeen(ids), store.listAdmins()])
    return found.map((account) => {
      const lastSeen = seen.get(account.userId)
      return {
        name: account.username,
        id: account.userId,
        state: account.disabledAt === undefined ? 'enabled' : 'disabled',
        isAdmin: admins.has(account.userId),
        isOnline: presence.isOnline(account.userId),
        lastSeen: lastSeen === undefined ? null : iso(lastSeen),
        createdAt: iso(account.createdAt),
      }
    })
  }

  async function nameAll(userIds: readonly string[]): Promise<Map<string, string>> {
    const found = await accounts.findAll(userIds)
    return new Map([...found].map(([userId, { username }]) => [userId, username]))
  }

  async function presentReports(found: readonly ReportDocument[]) {
    const ids = found.flatMap(({ reporterId, reportedId }) => [reporterId, reportedId])
    const names = await nameAll([...new Set(ids)])
    return found.map((report) => ({
      id: shortIdOf(report),
      by: names.get(report.reporterId) ?? 'a deleted account',
      about: names.get(report.reportedId) ?? nameThen(report),
      hasLeft: !names.has(report.reportedId),
      state: report.state ?? 'open',
      reportedAt: iso(report.reportedAt),
      reason: report.reason,
      messages: (report.messages ?? []).map(({ isTheirs, text, writtenAt }) => ({
        by: isTheirs
          ? (names.get(report.reportedId) ?? nameThen(report))
          : (names.get(report.reporterId) ?? 'a deleted account'),
        text,
        writtenAt,
      })),
    }))
  }

  async function findReport(id: string): Promise<ReportDocument> {
    const found = (await reports.listAll()).filter(({ _id }) => _id === id || _id.endsWith(id))
    const [report, other] = found
    if (!report) throw new ActionRefused(`There is no report ${id}. \`reports list\` shows them.`)
    if (other) throw new ActionRefused(`Several reports end in ${id}. Give more of its id.`)
    return report
  }

  /** @throws ActionRefused when the reported account is deleted: nothing can be done to it any more */
  async function findReported(report: ReportDocument, actor: Actor): Promise<AccountDocument> {
    if (await accounts.find(report.reportedId)) return await findOther(report.reportedId, actor)
    const who = nameThen(report)
    throw new ActionRefused(`${who} has left. \`reports dismiss\` closes the report.`)
  }

  /** Resolves it once, and tells who reported. */
  async function resolve(report: ReportDocument, state: 'dismissed' | 'warned' | 'disabled') {
    if (!(await reports.resolve(report._id, state))) {
      throw new ActionRefused(`This report was ${report.state ?? 'resolved'} already.`)
    }
    const [about] = (await nameAll([report.reportedId])).values()
    const words = {
      dismissed: 'Whoever runs this server has looked at it, and does nothing more about it.',
      warned: 'They were warned.',
      disabled: 'Their account was disabled.',
    }
    const thanks = `You reported ${about ?? nameThen(report)}. Thank you. ${words[state]}`
    await system.send([report.reporterId], thanks)
  }

  const actions = {
    'people list': action('Everybody, or those whose name or email contains a text', listing, {
      async run({ search, limit = 100 }) {
        const sought = search?.toLowerCase()
        const found: AccountDocument[] = []
        await listEverybody((page) => {
          const fits = ({ username, email }: AccountDocument) =>
            !sought || [username, email].some((one) => one.toLowerCase().includes(sought))
          found.push(...page.filter(fits))
          return found.length < limit
        })
        return { people: await presentAll(found.slice(0, limit)) }
      },
    }),
    'people show': action('One person: sign-ins, storage, reports', z.object({ name }), {
      async run({ name: given }) {
        const account = await find(given)
        const [shown] = await presentAll([account])
        const [devices, stored, about] = await Promise.all([
          sessions.list(account.userId),
          quota.read(account.userId),
          reports.listAll(),
        ])
        return {
          ...shown,
          email: account.email,
          formerNames: account.formerNames ?? [],
          storedMb: toMegabytes(stored.messages + stored.files),
          quotaMb: toMegabytes(account.quotaBytes ?? quota.quotaBytes),
          reportsAbout: about.filter(({ reportedId }) => reportedId === account.userId).length,
          devices: devices.map(({ device, lastUsedAt }) => ({
            device,
            lastUsedAt: iso(lastUsedAt),
          })),
        }
      },
    }),
    'people disable': action('Ends all sign-ins at once, and lets nobody sign in again', someone, {
      isRecorded: true,
      async run({ name: given }, actor) {
        const account = await findOther(given, actor)
        const ended = await disable(account)
        return {
          name: account.username,
          ended,
          said: `${account.username} is disabled: ${countOf(ended, 'sign-in')} ended.`,
        }
      },
    }),
    'people enable': action('Lets somebody sign in again', someone, {
      isRecorded: true,
      async run({ name: given }) {
        const { userId, username } = await find(given)
        await accounts.setDisabled(userId, false)
        return { name: username, said: `${username} may sign in again.` }
      },
    }),
    'people delete': action(
      'Deletes an account with everything but what others received',
      someone,
      {
        isRecorded: true,
        async run({ name: given }, actor) {
          const { userId, username } = await findOther(given, actor)
          await store.setAdmin(userId, false)
          await accountDeletion.leave(userId)
          return { name: username, said: `${username} is deleted.` }
        },
      },
    ),
    'people sign-out': action('Ends all sign-ins of a person', someone, {
      isRecorded: true,
      async run({ name: given }) {
        const { userId, username } = await find(given)
        const ended = (await sessions.list(userId)).length
        await sessions.removeAll(userId)
        return { name: username, ended, said: `${countOf(ended, 'sign-in')} of ${username} ended.` }
      },
    }),
    'people quota': action(
      'What one person may store, in MB; without a figure, what everybody may',
      z.object({
        name,
        megabytes: z.optional(
          z.int('The quota is a whole number of MB').check(z.gte(0), z.lte(100_000_000)),
        ),
        reason,
      }),
      {
        isRecorded: true,
        async run({ name: given, megabytes }) {
          const { userId, username } = await find(given)
          const bytes = megabytes === undefined ? undefined : megabytes * megabyte
          await accounts.setQuota(userId, bytes)
          quota.handleQuotaChanged(userId)
          const amount =
            bytes === undefined
              ? 'as much as everybody'
              : bytes === 0
                ? 'any amount'
                : `${megabytes} MB`
          return {
            name: username,
            quotaMb: megabytes ?? null,
            said: `${username} may store ${amount}.`,
          }
        },
      },
    ),
    'people rename': action(
      'Gives somebody another name, where theirs offends',
      z.object({ name, to: profileName, reason }),
      {
        isRecorded: true,
        async run({ name: given, to }, actor) {
          const { userId, username } = await findOther(given, actor)
          const outcome = await accounts.changeProfile(userId, { username: to })
          requireDone(outcome, { username, taken: `Somebody else is called ${to}.` })
          return { name: to, said: `${username} is called ${to} now.` }
        },
      },
    ),
    'people release-name': action(
      'Gives the name of a deleted account to whoever registers it next',
      someone,
      {
        isRecorded: true,
        async run({ name: held }) {
          const owner = await accounts.findByName(held)
          if (owner) throw new ActionRefused(`${owner.username} is here, and keeps the name.`)
          if (!(await accounts.releaseName(held))) {
            throw new ActionRefused(`Nothing holds the name “${held}”: it is free.`)
          }
          return { name: held, said: `Anybody may be called ${held} now.` }
        },
      },
    ),
    'people prove-phone': action(
      'Says whose a phone number is: who only claims it loses it',
      z.object({ name, number: phoneNumber, reason }),
      {
        isRecorded: true,
        async run({ name: given, number }, actor) {
          const { userId, username } = await findOther(given, actor)
          const before = await accounts.findByPhone(number)
          const taken = `Somebody else has proved +${number}, or works it over WhatsApp: it stays theirs.`
          requireDone(await accounts.provePhone(userId, number), { username, taken })
          // Another way to write a number may be somebody else's.
          const isLost = before?.phone_number === number && before.userId !== userId
          const loser = isLost ? before.username : null
          const lost = loser === null ? '' : ` ${loser} only said so, and has it no more.`
          return { name: username, number, loser, said: `+${number} is ${username}’s.${lost}` }
        },
      },
    ),
    'reset-password': action(
      'A link that sets a new password, once, within half an hour',
      someone,
      {
        isRecorded: true,
        async run({ name: given }, actor) {
          const { userId, username, email, disabledAt } = await find(given)
          const isOpen = disabledAt === undefined && !system.isSystem(userId)
          // Whoever has the link can sign in with it: the person hears of it before it is there (decision 84).
          const isHeard =
            isOpen &&
            (await system.isHeardBy(userId)) &&
            (await system.send([userId], tellReset(actor))) > 0
          if (isOpen && !isHeard && actor.kind === 'admin') {
            throw new ActionRefused(
              `${username} cannot be told of it: they blocked this server's messages. \`petrel admin reset-password\` on the server makes a link.`,
            )
          }
          const made = isOpen ? await options.resets.create(userId) : undefined
          if (!made) throw new ActionRefused(`${username} may not sign in. Enable them first.`)
          const subject = 'Somebody made a link for your password'
          options.mailer?.send({ to: email, subject, text: `${tellReset(actor)}\n` })
          const link = linkTo(`/reset#${made.token}`)
          return { name: username, link, endsAt: iso(made.expiresAt), isHeard, said: link }
        },
      },
    ),
    grant: action('Makes somebody an admin', someone, {
      isRecorded: true,
      async run({ name: given }) {
        const { userId, username, disabledAt } = await find(given)
        if (disabledAt !== undefined)
          throw new ActionRefused(`${username} is disabled. Enable them first.`)
        const isNew = await store.setAdmin(userId, true)
        return {
          name: username,
          said: isNew ? `${username} is an admin.` : `${username} was an admin already.`,
        }
      },
    }),
    revoke: action('Takes the rights of an admin away', someone, {
      isRecorded: true,
      async run({ name: given }, actor) {
        const { userId, username } = await findOther(given, actor)
        const wasAdmin = await store.setAdmin(userId, false)
        return {
          name: username,
          said: wasAdmin ? `${username} is no admin any more.` : `${username} was no admin.`,
        }
      },
    }),
    'reports list': action(
      'Reports that wait; all of them with `all`',
      z.object({ all: z.optional(z.boolean()) }),
      {
        async run({ all = false }) {
          const found = await reports.listAll()
          const shown = found.filter(({ state = 'open' }) => all || state === 'open')
          return { reports: await presentReports(shown) }
        },
      },
    ),
    'reports show': action('One report, whole', z.object({ id: reportId.shape.id }), {
      async run({ id }) {
        const [shown] = await presentReports([await findReport(id)])
        return { ...shown }
      },
    }),
    'reports dismiss': action('Closes a report without more; its reporter hears of it', reportId, {
      isRecorded: true,
      async run({ id }) {
        const report = await findReport(id)
        await resolve(report, 'dismissed')
        return { id: shortIdOf(report), said: 'Dismissed; its reporter is told.' }
      },
    }),
    'reports warn': action(
      'Sends the reported person a warning; the reporter hears of it',
      z.object({ ...reportId.shape, text: z.optional(text) }),
      {
        isRecorded: true,
        async run({ id, text: given }, actor) {
          const report = await findReport(id)
          await findReported(report, actor)
          await resolve(report, 'warned')
          const words =
            given ??
            'Somebody reported you. Please keep to the rules of this server, or your account ends.'
          await system.send([report.reportedId], words)
          return { id: shortIdOf(report), said: 'Warned; the reporter is told.' }
        },
      },
    ),
    'reports disable': action('Disables the reported account; the reporter hears of it', reportId, {
      isRecorded: true,
      async run({ id }, actor) {
        const report = await findReport(id)
        const account = await findReported(report, actor)
        await resolve(report, 'disabled')
        const ended = await disable(account)
        return {
          id: shortIdOf(report),
          ended,
          said: `${account.username} is disabled: ${countOf(ended, 'sign-in')} ended. The reporter is told.`,
        }
      },
    }),
    'invites create': action(
      'An invitation; its link is shown once',
      z.object({ uses: z.optional(uses), days: z.optional(days), reason }),
      {
        isRecorded: true,
        async run({ uses: count = 1, days: valid = 7 }, actor) {
          const made = await store.createInvitation({ uses: count, days: valid, actor })
          const link = linkTo(`/register#invitation=${made.code}`)
          const until = iso(made.endsAt)
          return { id: made.id, code: made.code, link, uses: count, endsAt: until, said: link }
        },
      },
    ),
    'invites list': action('Invitations that admit somebody', z.object({}), {
      async run() {
        const found = await store.listInvitations()
        return { invitations: found.map((one) => ({ ...one, endsAt: iso(one.endsAt) })) }
      },
    }),
    'invites revoke': action('Ends an invitation', z.object({ id: z.string(), reason }), {
      isRecorded: true,
      async run({ id }) {
        if (!(await store.revokeInvitation(id))) {
          throw new ActionRefused(`There is no invitation ${id}. \`invites list\` shows them.`)
        }
        return { id, said: 'It admits nobody any more.' }
      },
    }),
    announce: action('A message to everybody from the server', z.object({ text, reason }), {
      isRecorded: true,
      async run({ text: content }) {
        const ids: string[] = []
        await listEverybody((page) => ids.push(...page.map(({ userId }) => userId)) >= 0)
        const sent = await system.send(ids, content)
        return { sent, said: `Sent to ${countOf(sent, 'person', 'people')}.` }
      },
    }),
    health: action('How the server is', z.object({}), { run: () => options.health.read() }),
    audit: action(
      'What was done, the latest first',
      z.object({ limit: z.optional(z.int().check(z.gte(1), z.lte(peopleListedMax))) }),
      {
        async run({ limit = 50 }) {
          const found = await store.listAudit(limit)
          return {
            entries: found.map(({ at, by, action: done, subject, reason: why }) => ({
              at: iso(at),
              by,
              action: done,
              subject: subject ?? '',
              reason: why ?? '',
            })),
          }
        },
      },
    ),
  }

  /** Recorded once it is done: a refused one changed nothing. */
  function withAudit(words: string, { isRecorded, ...rest }: DefinedAction): AdminAction {
    if (!isRecorded) return rest
    return {
      ...rest,
      async run(input, actor) {
        const result = await rest.run(input, actor)
        const { reason: why, name: given, id } = input as Record<string, string | undefined>
        const subject = (result.name as string | undefined) ?? given ?? (result.id as string) ?? id
        await store.record({ actor, action: words, subject, reason: why })
        return result
      },
    }
  }

  return new Map(Object.entries(actions).map(([words, one]) => [words, withAudit(words, one)]))
}

type DefinedAction = AdminAction & { isRecorded: boolean }

function action<Input extends z.ZodMiniType>(
  summary: string,
  input: Input,
  given: {
    /** It changes something, so the audit log names it. */
    isRecorded?: boolean
    run(input: z.output<Input>, actor: Actor): Promise<ActionResult>
  },
): DefinedAction {
  return {
    summary,
    input,
    isRecorded: given.isRecorded ?? false,
    run: (parsed, actor) => given.run(parsed as z.output<Input>, actor),
  }
}

/** @throws ActionRefused with words for every other outcome; `taken`: those for a value of somebody else */
function requireDone(
  { kind }: AccountChange,
  { username, taken }: { username: string; taken: string },
): void {
  if (kind === 'taken') throw new ActionRefused(taken)
  if (kind === 'missing') throw new ActionRefused(`${username} has just left.`)
  if (kind === 'overtaken')
    throw new ActionRefused(`${username} was changed in the same moment. Try it again.`)
}

function tellReset(actor: Actor): string {
  const who =
    actor.kind === 'admin'
      ? `${actor.username}, who administers this server,`
      : 'Whoever runs this server'
  return `${who} made a link that sets a new password for your account. It works once, for 30 minutes; using it signs out every device. If you did not ask for it, change your password now: that ends the link.`
}

/** What the reported person was called at that time: all that is known of a deleted account. */
function nameThen({ reportedName = 'a deleted account' }: ReportDocument): string {
  return reportedName
}

function shortIdOf({ _id }: ReportDocument): string {
  return _id.slice(-shortIdLength)
}

function toMegabytes(bytes: number): number {
  return Math.round((bytes / megabyte) * 10) / 10
}

function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
