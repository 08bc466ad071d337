import * as z from 'zod/mini'
import {
  type GroupAnswer,
  type GroupInviteAnswer,
  type GroupMarks,
  type GroupPreview,
  groupInviteAnswer,
  groupMarks,
  groupRequests,
} from '../../../schema/api/groups.ts'
import type { PeopleStore } from '../../database/storage/people-store.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'

/** At each message of a busy group the server hints at something new: it is asked no more often. */
const askAgainMs = 5_000

/** What the server said last, and when, epoch ms. */
interface Answered<Value> {
  value: Value
  at: number
}

/** What only the server knows; the last answer is there without a network, too. */
export interface AskedValue<Value> extends LiveValue<Answered<Value> | undefined> {
  /** Asks the server. Rejects with words for a person; what was known stays. */
  refresh(): Promise<void>
}

type JoinRequests = readonly { userId: string; askedAt: string }[]
type InviteWish = { requiresApproval: boolean; usesMax?: number; endsAt?: number }

/** What of a group is asked of the server alone: its link, who asks to join, and who has read what. */
export interface GroupDesk {
  /** The link that holds now; null without one. For admins, like the requests. */
  invite(groupId: string): AskedValue<GroupInviteAnswer | null>
  /** Who asks to be let in, the longest first. */
  requests(groupId: string): AskedValue<JoinRequests>
  /** How far each of the others has received and read. */
  marks(groupId: string): AskedValue<GroupMarks>
  /** A new link; the one before holds no longer. @param wish.endsAt epoch ms */
  makeInvite(groupId: string, wish: InviteWish): Promise<void>
  revokeInvite(groupId: string): Promise<void>
  /** Lets somebody in who asks for it, or not. */
  answerRequest(asked: { groupId: string; userId: string; isAccepted: boolean }): Promise<void>
  /** What a link leads to. */
  preview(code: string): Promise<GroupPreview>
  /** Comes in by a link, or asks to. @returns the group's id; undefined until an admin has answered */
  join(code: string): Promise<string | undefined>
  /** Calls back when the server hints at something new in a group. @returns ends it */
  onHint(listener: () => void): () => void
}

/** The calls that it makes. Each rejects with an `ApiError`. */
export interface GroupDeskCalls {
  getInvite(groupId: string): Promise<GroupInviteAnswer | null>
  makeInvite(groupId: string, wish: InviteWish): Promise<GroupInviteAnswer>
  revokeInvite(groupId: string): Promise<void>
  requests(groupId: string): Promise<{ userId: string; askedAt: string }[]>
  answerRequest(asked: {
    groupId: string
    userId: string
    isAccepted: boolean
  }): Promise<GroupAnswer>
  marks(groupId: string): Promise<GroupMarks>
  preview(code: string): Promise<GroupPreview>
  join(code: string): Promise<GroupAnswer | null>
}

export function createGroupDesk(options: {
  calls: GroupDeskCalls
  table: PeopleStore['answers']
  now: () => number
  onError: (cause: unknown) => void
}): GroupDesk & { hint(): void; close(): void } {
  const { calls, now, onError } = options
  const listeners = new Set<() => void>()
  const hints = { isDue: false, timer: undefined as ReturnType<typeof setTimeout> | undefined }

  const invites = createAskedValues({
    ...options,
    kind: 'invite',
    schema: z.nullable(groupInviteAnswer),
    ask: calls.getInvite,
  })
  const requests = createAskedValues<JoinRequests>({
    ...options,
    kind: 'requests',
    schema: groupRequests.shape.requests,
    ask: calls.requests,
  })
  const marks = createAskedValues({
    ...options,
    kind: 'marks',
    schema: groupMarks,
    ask: calls.marks,
  })

  function hint() {
    if (hints.timer !== undefined) {
      hints.isDue = true
      return
    }
    for (const listener of [...listeners]) listener()
    hints.timer = setTimeout(() => {
      hints.timer = undefined
      if (!hints.isDue) return
      hints.isDue = false
      hint()
    }, askAgainMs)
  }

  return {
    invite: invites.of,
    requests: requests.of,
    marks: marks.of,
    async makeInvite(groupId, wish) {
      await invites.take(groupId, await calls.makeInvite(groupId, wish))
    },
    async revokeInvite(groupId) {
      await calls.revokeInvite(groupId)
      await invites.take(groupId, null)
    },
    async answerRequest(asked) {
      await calls.answerRequest(asked)
      const rest = requests.of(asked.groupId).getSnapshot()?.value ?? []
      await requests.take(
        asked.groupId,
        rest.filter(({ userId }) => userId !== asked.userId),
      )
      // Others may have asked meanwhile.
      requests.of(asked.groupId).refresh().catch(onError)
    },
    preview: (code) => calls.preview(code),
    join: async (code) => (await calls.join(code))?._id,
    onHint(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    hint,
    close() {
      clearTimeout(hints.timer)
      listeners.clear()
    },
  }

  function createAskedValues<Value>(asked: {
    table: PeopleStore['answers']
    kind: string
    schema: z.ZodMiniType<Value>
    ask: (groupId: string) => Promise<Value>
  }) {
    const { table, kind, schema, ask } = asked
    const values = new Map<string, ReturnType<typeof create>>()

    function create(groupId: string) {
      const _id = `group-${kind} ${groupId}`
      const live = createLiveValue<Answered<Value> | undefined>(undefined)
      /** What an earlier question brings after a later one counts for nothing. */
      let newest = 0

      async function readKept() {
        const kept = await table.get(_id).catch(() => undefined)
        const read = kept && schema.safeParse(kept.value)
        if (read?.success && kept && !live.getSnapshot()) {
          live.set({ value: read.data, at: kept.at })
        }
      }

      async function take(value: Value) {
        newest += 1
        const answered = { value, at: now() }
        live.set(answered)
        // A full disk takes the answer for later, not the one for now.
        await table.put({ _id, ...answered }).catch(onError)
      }

      async function refresh() {
        const turn = ++newest
        if (!live.getSnapshot()) await readKept()
        const value = await ask(groupId)
        if (turn === newest) await take(value)
      }

      return { take, value: { ...live, refresh } satisfies AskedValue<Value> }
    }

    function find(groupId: string) {
      const known = values.get(groupId) ?? create(groupId)
      values.set(groupId, known)
      return known
    }

    return {
      of: (groupId: string): AskedValue<Value> => find(groupId).value,
      take: (groupId: string, value: Value) => find(groupId).take(value),
    }
  }
}
