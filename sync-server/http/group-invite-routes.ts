import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod/mini'
import type { ErrorCode } from '../../schema/api/api-error.ts'
import {
  type GroupInviteAnswer,
  groupAnswer,
  groupInvitation,
  groupInviteAnswer,
  groupJoined,
  groupPreview,
  groupRequestReply,
  groupRequests,
  toGroupAnswer,
} from '../../schema/api/groups.ts'
import type { GroupInvite } from '../../schema/group.ts'
import { id } from '../../schema/id.ts'
import type { Groups } from '../groups/groups.ts'
import { toIso } from '../lib/to-iso.ts'
import { idempotencyKey } from './core/request-refused.ts'
import { defineRoute, type Route } from './core/route.ts'

const groupParam = z.object({ id: z.string() })
const codeParam = z.object({ code: z.string().check(z.maxLength(100)) })

const adminErrors = ['group_not_found', 'admins_only'] as const satisfies readonly ErrorCode[]

/** Why a link does not let somebody in. */
const linkErrors = [
  ...(['invite_unknown', 'invite_revoked', 'invite_over', 'invite_used_up'] as const),
  ...(['removed_before', 'group_full', 'group_used_up'] as const),
] as const satisfies readonly ErrorCode[]

/** The link into a group, and who comes or asks to come by it. */
export function createGroupInviteRoutes(options: {
  groups: Groups
  publicUrl: string | undefined
}): Route[] {
  const { groups, publicUrl = '' } = options
  const { invites } = groups

  function describe({
    code,
    requiresApproval,
    uses,
    usesMax,
    endsAt,
  }: GroupInvite): GroupInviteAnswer {
    return {
      code,
      url: `${publicUrl}/join/${code}`,
      requiresApproval,
      uses,
      usesMax: usesMax ?? null,
      endsAt: endsAt === undefined ? null : toIso(endsAt),
    }
  }

  return [
    defineRoute({
      method: 'get',
      path: '/groups/join/{code}',
      access: 'signed-in',
      summary:
        'What a link leads to: the group’s name, its picture and how many are in it. Nobody’s name.',
      params: codeParam,
      status: 200,
      answer: groupPreview,
      errors: [...linkErrors],
      handle: async ({ caller, params }) => await invites.preview(caller.userId, params.code),
    }),

    defineRoute({
      method: 'post',
      path: '/groups/join/{code}',
      access: 'signed-in',
      summary:
        'Comes into a group by its link, or asks to: then `group` is null until an admin has answered. Who is in already stays so.',
      params: codeParam,
      headers: idempotencyKey,
      status: 200,
      answer: groupJoined,
      errors: [
        ...linkErrors,
        ...(['approval_needed', 'request_declined', 'came_too_often', 'too_many_waiting'] as const),
        ...(['too_many_joins', 'too_many_messages', 'group_not_found'] as const),
      ],
      async handle({ caller: { userId }, params, headers }) {
        const requestId = headers['idempotency-key'] ?? uuidv7()
        const group = await invites.join(userId, params.code, requestId)
        return { group: group ? toGroupAnswer(group) : null }
      },
    }),

    defineRoute({
      method: 'post',
      path: '/groups/{id}/invite',
      access: 'signed-in',
      summary:
        'Makes a link into a group, for its admins to give away; the one before holds no longer. `url` is a path where the server knows no address of its own.',
      params: groupParam,
      body: groupInvitation,
      status: 201,
      answer: groupInviteAnswer,
      errors: [...adminErrors, 'too_many_messages'],
      async handle({ caller: { userId }, params, body }) {
        const { requiresApproval, usesMax, endsAt } = body
        const made = await invites.make(userId, params.id, {
          requiresApproval,
          usesMax,
          endsAt: endsAt === undefined ? undefined : Date.parse(endsAt),
        })
        return describe(made)
      },
    }),

    defineRoute({
      method: 'get',
      path: '/groups/{id}/invite',
      access: 'signed-in',
      summary: 'The link into a group that holds now, for its admins; null without one.',
      params: groupParam,
      status: 200,
      answer: z.object({ invite: z.nullable(groupInviteAnswer) }),
      errors: [...adminErrors],
      async handle({ caller: { userId }, params }) {
        const invite = await invites.read(userId, params.id)
        return { invite: invite ? describe(invite) : null }
      },
    }),

    defineRoute({
      method: 'delete',
      path: '/groups/{id}/invite',
      access: 'signed-in',
      summary:
        'Withdraws the link into a group; with `code` that one alone, and no newer one. Who waits by it can still be let in.',
      params: groupParam,
      query: z.object({ code: z.optional(codeParam.shape.code) }),
      status: 200,
      answer: z.object({ isRevoked: z.literal(true) }),
      errors: [...adminErrors],
      async handle({ caller: { userId }, params, query }) {
        await invites.revoke(userId, params.id, query.code)
        return { isRevoked: true as const }
      },
    }),

    defineRoute({
      method: 'get',
      path: '/groups/{id}/requests',
      access: 'signed-in',
      summary: 'Who asks to be let into a group, the longest first, for its admins.',
      params: groupParam,
      status: 200,
      answer: groupRequests,
      errors: [...adminErrors],
      async handle({ caller: { userId }, params }) {
        const waiting = await invites.listRequests(userId, params.id)
        return {
          requests: waiting.map((one) => ({ userId: one.userId, askedAt: toIso(one.askedAt) })),
        }
      },
    }),

    defineRoute({
      method: 'post',
      path: '/groups/{id}/requests/{userId}',
      access: 'signed-in',
      summary: 'Lets somebody in who asks for it, or not: then they cannot ask again by this link.',
      params: z.object({ id: z.string(), userId: id }),
      body: groupRequestReply,
      status: 200,
      answer: z.object({ group: groupAnswer }),
      errors: [
        ...adminErrors,
        ...([
          'request_not_found',
          'group_full',
          'group_used_up',
          'cannot_add',
          'too_many_added',
        ] as const),
        'too_many_messages',
      ],
      async handle({ caller, params, body: { isAccepted } }) {
        const { id: groupId, userId } = params
        const group = await invites.answer({ actorId: caller.userId, groupId, userId, isAccepted })
        return { group: toGroupAnswer(group) }
      },
    }),
  ]
}
