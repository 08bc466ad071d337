import * as z from 'zod/mini'
import {
  type GroupInviteAnswer,
  type GroupMarks,
  type GroupPreview,
  groupInviteAnswer,
  groupMarks,
  groupRequests,
} from '../../../schema/api/groups.ts'
import type { PeopleStore } from '../../database/storage/people-store.ts'
import type { QueuedRequest } from '../../database/storage/queued-request.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'
import type { RequestCalls } from '../requests/request-calls.ts'
import type { Requests } from '../requests/requests.ts'

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
type JoinAnswer = { groupId: string; userId: string; isAccepted: boolean }
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
  /** Withdraws this link, and no newer one. Like the two below it waits for the network. */
  withdrawInvite(groupId: string, code: string): Promise<void>
  /** Lets somebody in who asks for it, or not. */
  answerRequest(asked: JoinAnswer): Promise<void>
  /** What a link leads to. */
  preview(code: string): Promise<GroupPreview>
  /** Comes in by a link, or asks to. @param groupName as far as the link said */
  join(code: string, groupName?: string): Promise<void>
  /** Calls back when the server hints at something new in a group. @returns ends it */
  onHint(listener: () => void): () => void
}

/** The calls that it makes. Each rejects with an `ApiError`. */
export interface GroupDeskCalls {
  getInvite(groupId: string): Promise<GroupInviteAnswer | null>
  makeInvite(groupId: string, wish: InviteWish): Promise<GroupInviteAnswer>
  requests(groupId: string): Promise<{ userId: string; askedAt: string }[]>
  marks(groupId: string): Promise<GroupMarks>
  preview(code: string): Promise<GroupPreview>
}

export function createGroupDesk(options: {
  calls: GroupDeskCalls
  table: PeopleStore['answers']
  queue: Pick<Requests, 'add' | 'entries'>
  now: () => number
  onError: (cause: unknown) => void
}): GroupDesk & {
  hint(): void
  /** The queue's calls; what the server has taken is known here before its request is over. */
  record(groups: RequestCalls['groups']): RequestCalls['groups']
  close(): void
} {
  const { calls, queue, now, onError } = options
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

  let waiting = listWaiting()

  function listWaiting() {
    return new Map(
      queue.entries
        .getSnapshot()
        .flatMap(({ _id, state, request }) =>
          state === 'waiting' && isAboutJoining(request) ? [[_id, request]] : [],
        ),
    )
  }

  /** What was taken, refused or discarded, also by another tab: the server knows what holds now. */
  const unfollow = queue.entries.subscribe(() => {
    const before = waiting
    waiting = listWaiting()
    for (const [_id, { kind, groupId }] of before) {
      if (waiting.has(_id)) continue
      const asked = kind === 'withdraw-link' ? invites.of(groupId) : requests.of(groupId)
      // Without a network the screen asks with the next connection.
      asked.refresh().catch(() => {})
    }
  })

  async function takeAnswer({ groupId, userId }: JoinAnswer) {
    const known = requests.of(groupId).getSnapshot()?.value
    const rest = known?.filter((one) => one.userId !== userId)
    if (rest) await requests.take(groupId, rest)
  }

  async function takeWithdrawn(groupId: string, code: string) {
    if (invites.of(groupId).getSnapshot()?.value?.code === code) await invites.take(groupId, null)
  }

  return {
    invite: invites.of,
    requests: requests.of,
    marks: marks.of,
    async makeInvite(groupId, wish) {
      await invites.take(groupId, await calls.makeInvite(groupId, wish))
    },
    async withdrawInvite(groupId, code) {
      await queue.add({ kind: 'withdraw-link', groupId, code })
    },
    async answerRequest(asked) {
      await queue.add({ kind: 'join-answer', ...asked })
    },
    preview: (code) => calls.preview(code),
    async join(code, groupName) {
      await queue.add({ kind: 'join', code, ...(groupName !== undefined && { groupName }) })
    },
    record: ({ change, join, answerRequest, revokeInvite }) => ({
      change,
      join,
      async answerRequest(asked, options) {
        const answer = await answerRequest(asked, options)
        await takeAnswer(asked)
        return answer
      },
      async revokeInvite(groupId, options) {
        const answer = await revokeInvite(groupId, options)
        await takeWithdrawn(groupId, options.code)
        return answer
      },
    }),
    onHint(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    hint,
    close() {
      clearTimeout(hints.timer)
      unfollow()
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
        // A full disk costs the answer at the next start: on the screen it stands already.
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

type AboutJoining = Extract<QueuedRequest, { kind: 'join-answer' | 'withdraw-link' }>

const isAboutJoining = (request: QueuedRequest): request is AboutJoining =>
  request.kind === 'join-answer' || request.kind === 'withdraw-link'
