import { createHash, randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { idsFrom } from '../storage/documents/documents.ts'
import type { Storage } from '../storage/storage.ts'

/** Who acts: whoever can open the server's socket, or a person with rights. */
export type Actor =
  | { kind: 'operator' }
  | { kind: 'admin' | 'person'; userId: string; username: string }

/** One action, kept for good. `at` is epoch ms. */
export interface AuditDocument {
  _id: `audit:${string}`
  at: number
  by: string
  action: string
  subject?: string
  reason?: string
}

/** Lets people register. Only the code's hash is kept: a stolen backup admits nobody. */
export interface InvitationDocument {
  _id: `invitation:${string}`
  usesLeft: number
  createdAt: number
  endsAt: number
  by: string
  _deleted?: true
}

/** `secret`: of the second factor, in base32; it counts once `confirmedAt` is set. */
interface AdminDocument {
  _id: `admin:${string}`
  userId: string
  grantedAt: number
  secret?: string
  confirmedAt?: number
  /** The latest used step of time: each code counts once. */
  lastStep?: number
  /** The sessions that have shown it, each with its end, epoch ms. */
  confirmed?: Record<string, number>
  _deleted?: true
}

/** The account that announcements come from. */
interface SystemDocument {
  _id: 'system'
  userId: string
}

interface BackupDocument {
  _id: 'backup'
  at: number
  path: string
  bytes: number
}

type AdminDocuments =
  | AuditDocument
  | InvitationDocument
  | AdminDocument
  | SystemDocument
  | BackupDocument

const dayMs = 86_400_000
const idLength = 8
const listedMax = 1_000

export type AdminStore = ReturnType<typeof createAdminStore>

/** What administration keeps, in a database of its own. @param now epoch ms */
export function createAdminStore(options: { storage: Storage; now?: () => number }) {
  const { storage, now = Date.now } = options
  const database = storage.database<AdminDocuments>('administration')
  const adminKey = (userId: string) => `admin:${userId}` as const

  async function readAdmin(userId: string): Promise<AdminDocument | undefined> {
    return (await database.read([adminKey(userId)])).get(adminKey(userId)) as
      | AdminDocument
      | undefined
  }

  async function changeAdmin(
    userId: string,
    next: (stored: AdminDocument) => AdminDocument | null,
  ) {
    const _id = adminKey(userId)
    const { result } = await database.update<boolean>([_id], (stored) => {
      const before = stored.get(_id) as AdminDocument | undefined
      const changed = before && next(before)
      return changed ? { put: [changed], result: true } : { result: false }
    })
    return result
  }

  async function listInvitations() {
    return (await database.range(idsFrom('invitation:'))) as InvitationDocument[]
  }

  return {
    readAdmin,
    changeAdmin,

    isAdmin: async (userId: string): Promise<boolean> => (await readAdmin(userId)) !== undefined,

    async listAdmins(): Promise<ReadonlySet<string>> {
      const found = (await database.range(idsFrom('admin:'))) as AdminDocument[]
      return new Set(found.map(({ userId }) => userId))
    },

    /** @returns false when nothing changes */
    async setAdmin(userId: string, isAdmin: boolean): Promise<boolean> {
      const _id = adminKey(userId)
      const { result } = await database.update<boolean>([_id], (stored) => {
        if (stored.has(_id) === isAdmin) return { result: false }
        const granted: AdminDocument = { _id, userId, grantedAt: now() }
        return { put: [isAdmin ? granted : { ...granted, _deleted: true }], result: true }
      })
      return result
    },

    async record(entry: {
      actor: Actor
      action: string
      subject?: string | undefined
      reason?: string | undefined
    }): Promise<void> {
      const { actor, action, subject, reason } = entry
      const at = now()
      await database.insert({
        _id: `audit:${String(at).padStart(15, '0')}-${uuidv7()}`,
        at,
        by: nameActor(actor),
        action,
        ...(subject !== undefined && { subject }),
        ...(reason !== undefined && { reason }),
      })
    },

    /** The latest first. */
    async listAudit(limit: number): Promise<AuditDocument[]> {
      const { startkey, endkey } = idsFrom('audit:')
      const range = { startkey: endkey, endkey: startkey, descending: true, limit }
      return (await database.range(range)) as AuditDocument[]
    },

    /** @returns the code, which nobody can read again */
    async createInvitation(given: { uses: number; days: number; actor: Actor }) {
      const code = randomBytes(12).toString('base64url')
      const invitation: InvitationDocument = {
        _id: invitationKey(code),
        usesLeft: given.uses,
        createdAt: now(),
        endsAt: now() + given.days * dayMs,
        by: nameActor(given.actor),
      }
      await database.insert(invitation)
      return { code, id: idOf(invitation), endsAt: invitation.endsAt }
    },

    async listInvitations() {
      const valid = (await listInvitations()).filter(
        ({ usesLeft, endsAt }) => usesLeft > 0 && endsAt > now(),
      )
      return valid
        .slice(0, listedMax)
        .map((one) => ({ id: idOf(one), usesLeft: one.usesLeft, endsAt: one.endsAt, by: one.by }))
    },

    /** @returns false when there is none */
    async revokeInvitation(id: string): Promise<boolean> {
      const found = (await listInvitations()).find((one) => idOf(one) === id)
      if (!found) return false
      const { _id } = found
      await database.update([_id], (stored) => {
        const before = stored.get(_id) as InvitationDocument | undefined
        return { put: before ? [{ ...before, _deleted: true }] : [], result: undefined }
      })
      return true
    },

    /** @returns false for a code that admits nobody, or nobody more */
    async isInvited(code: string): Promise<boolean> {
      const _id = invitationKey(code)
      return isValid((await database.read([_id])).get(_id) as InvitationDocument | undefined)
    },

    /** Takes one use. @returns false when none is left */
    async takeInvitation(code: string): Promise<boolean> {
      const _id = invitationKey(code)
      const { result } = await database.update<boolean>([_id], (stored) => {
        const before = stored.get(_id) as InvitationDocument | undefined
        if (!before || !isValid(before)) return { result: false }
        return { put: [{ ...before, usesLeft: before.usesLeft - 1 }], result: true }
      })
      return result
    },

    /** Gives back a use that led to no account. */
    async returnInvitation(code: string): Promise<void> {
      const _id = invitationKey(code)
      await database.update([_id], (stored) => {
        const before = stored.get(_id) as InvitationDocument | undefined
        const put = before ? [{ ...before, usesLeft: before.usesLeft + 1 }] : []
        return { put, result: undefined }
      })
    },

    async readSystemId(): Promise<string | undefined> {
      return ((await database.read(['system'])).get('system') as SystemDocument | undefined)?.userId
    },
    async keepSystemId(userId: string): Promise<void> {
      await database.insert({ _id: 'system', userId })
    },

    async readBackup(): Promise<BackupDocument | undefined> {
      return (await database.read(['backup'])).get('backup') as BackupDocument | undefined
    },
    async recordBackup(made: { path: string; bytes: number }): Promise<void> {
      const next: BackupDocument = { _id: 'backup', at: now(), ...made }
      await database.update(['backup'], () => ({ put: [next], result: undefined }))
    },
  }

  function isValid(invitation: InvitationDocument | undefined): boolean {
    return invitation !== undefined && invitation.usesLeft > 0 && invitation.endsAt > now()
  }
}

function nameActor(actor: Actor): string {
  return actor.kind === 'operator' ? 'operator' : `${actor.username} (${actor.userId})`
}

function invitationKey(code: string) {
  return `invitation:${createHash('sha256').update(code).digest('hex')}` as const
}

function idOf({ _id }: InvitationDocument): string {
  return _id.slice('invitation:'.length).slice(0, idLength)
}
