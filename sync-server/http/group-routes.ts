import { v7 as uuidv7 } from 'uuid'
import * as z from 'zod/mini'
import type { ErrorCode } from '../../schema/api/api-error.ts'
import {
  groupAddition,
  groupAnswer,
  groupCreation,
  groupEdit,
  groupMarks,
  groupPlaces,
  groupRoleChange,
  groupSeen,
  toGroupAnswer,
} from '../../schema/api/groups.ts'
import { type GroupChange, refuseGroupEditor } from '../../schema/group.ts'
import { id } from '../../schema/id.ts'
import { limits } from '../../schema/limits.ts'
import type { Groups } from '../groups/groups.ts'
import { deriveId } from '../lib/derive-id.ts'
import type { Media } from '../media/media.ts'
import { groupHolder, nameMediaUrl } from '../media/media-documents.ts'
import { idempotencyKey, RequestRefused } from './core/request-refused.ts'
import { defineRoute, type Route } from './core/route.ts'
import { pictureErrors, type ReceiveUpload, requirePicture } from './media/upload-receiver.ts'

const groupParam = z.object({ id: z.string() })
const memberParam = z.object({ id: z.string(), userId: id })
const oneGroup = z.object({ group: groupAnswer })
const changedGroup = z.object({ group: z.nullable(groupAnswer) })

/** Of every change of a group. */
const changeErrors = [
  ...(['group_not_found', 'admins_only', 'changed_meanwhile', 'too_many_messages'] as const),
] as const satisfies readonly ErrorCode[]

/** Groups: what they are, who is in them, and each change of them. */
export function createGroupRoutes(options: {
  groups: Groups
  media: Pick<Media, 'remove'>
  receiveUpload: ReceiveUpload
}): Route[] {
  const { groups, media, receiveUpload } = options

  async function apply(asked: {
    caller: { userId: string }
    params: { id: string }
    headers: { 'idempotency-key'?: string | undefined }
    change: GroupChange
    seenUpTo?: number | undefined
  }) {
    const { caller, params, headers, change, seenUpTo } = asked
    const { userId: actorId } = caller
    // To others it does not exist; the rule says the same once more at the moment of writing.
    if (!(await groups.findOwn(actorId, params.id))) throw new RequestRefused('group_not_found')
    const requestId = headers['idempotency-key'] ?? uuidv7()
    await groups.change({ groupId: params.id, actorId, requestId, change, seenUpTo })
    const group = await groups.findFor(actorId, params.id)
    return { group: group ? toGroupAnswer(group) : null }
  }

  return [
    defineRoute({
      method: 'get',
      path: '/groups',
      access: 'signed-in',
      summary: 'The groups that you are in.',
      status: 200,
      answer: z.object({ groups: z.array(groupAnswer) }),
      async handle({ caller: { userId } }) {
        return { groups: (await groups.listFor(userId)).map(toGroupAnswer) }
      },
    }),

    defineRoute({
      method: 'post',
      path: '/groups',
      access: 'signed-in',
      summary:
        'Makes a group with these people, and you as its owner. The same id again is the same group, and answers 200.',
      body: groupCreation,
      status: 201,
      otherStatuses: { 200: 'A group with this id was made before: it is the answer.' },
      answer: oneGroup,
      errors: [
        ...(['group_exists', 'group_not_found', 'name_missing', 'name_too_long'] as const),
        ...(['description_too_long', 'group_full', 'cannot_add', 'too_many_messages'] as const),
        ...(['too_many_groups', 'too_many_added'] as const),
      ],
      async handle({ caller: { userId }, body, response }) {
        const { _id: groupId = uuidv7(), name, description, memberIds } = body
        const { isNew } = await groups.change({
          groupId,
          actorId: userId,
          requestId: deriveId(groupId, 'create'),
          change: { kind: 'create', name, description, userIds: memberIds },
        })
        const group = await groups.findFor(userId, groupId)
        if (!group) throw new RequestRefused('group_not_found')
        if (!isNew) response.status(200)
        return { group: toGroupAnswer(group) }
      },
    }),

    defineRoute({
      method: 'get',
      path: '/groups/places',
      access: 'signed-in',
      summary:
        'Where each group is that you are or were in, as its _changes beneath /sync count. `times`: how often you came; after another time you may read more than before, and begin again.',
      status: 200,
      answer: groupPlaces,
      handle: async ({ caller }) => await groups.listPlaces(caller.userId),
    }),

    defineRoute({
      method: 'get',
      path: '/groups/{id}',
      access: 'signed-in',
      summary: 'One of your groups, with everybody who is in it.',
      params: groupParam,
      status: 200,
      answer: oneGroup,
      errors: ['group_not_found'],
      async handle({ caller, params }) {
        const group = await groups.findFor(caller.userId, params.id)
        if (!group) throw new RequestRefused('group_not_found')
        return { group: toGroupAnswer(group) }
      },
    }),

    defineRoute({
      method: 'get',
      path: '/groups/{id}/marks',
      access: 'signed-in',
      summary:
        'How far the others in a group have received and read, and the smallest of each: what your own messages show. Without read receipts of your own you see nobody’s.',
      params: groupParam,
      status: 200,
      answer: groupMarks,
      errors: ['group_not_found'],
      async handle({ caller: { userId }, params }) {
        const group = await groups.findFor(userId, params.id)
        if (!group) throw new RequestRefused('group_not_found')
        return await groups.marks.list(userId, group)
      },
    }),

    defineRoute({
      method: 'put',
      path: '/groups/{id}',
      access: 'signed-in',
      summary:
        'Changes a group’s name, its description or its settings, or removes its picture: one of the four.',
      params: groupParam,
      headers: idempotencyKey,
      body: groupEdit,
      status: 200,
      answer: changedGroup,
      errors: [...changeErrors, 'name_missing', 'name_too_long', 'description_too_long'],
      async handle({ body, ...call }) {
        const { name, description, picture, settings = {}, seenUpTo } = body
        if (name !== undefined) {
          return await apply({ ...call, change: { kind: 'rename', name }, seenUpTo })
        }
        if (picture === null) {
          return await apply({ ...call, change: { kind: 'picture', picture }, seenUpTo })
        }
        const change: GroupChange =
          description === undefined
            ? { kind: 'settings', settings }
            : { kind: 'describe', description }
        return await apply({ ...call, change, seenUpTo })
      },
    }),

    defineRoute({
      method: 'put',
      path: '/groups/{id}/picture',
      access: 'signed-in',
      summary:
        'Gives a group another picture (multipart/form-data, part `groupPicture`: JPEG, PNG or WebP, 5 MB). Its members see it, and who has its link. It counts towards your storage until there is another.',
      params: groupParam,
      headers: idempotencyKey,
      status: 200,
      filePart: 'groupPicture',
      answer: changedGroup,
      errors: [...changeErrors, ...pictureErrors],
      async handle({ request, ...call }) {
        const { caller, params, headers } = call
        const { userId } = caller
        // Before a byte is taken; the rule asks once more at the moment of writing.
        const refusal = refuseGroupEditor(await groups.findFor(userId, params.id), userId)
        if (refusal) throw new RequestRefused(refusal.code, { words: refusal.error })
        const file = await receiveUpload({
          request,
          fieldName: 'groupPicture',
          ownerId: groupHolder(params.id),
          payerId: userId,
          purpose: 'picture',
          limitBytes: limits.pictureInputMaxBytes,
          check: requirePicture,
          key: headers['idempotency-key'],
        })
        if (!file) throw new RequestRefused('picture_required')
        const picture = nameMediaUrl(file.mediaId)
        try {
          return await apply({ ...call, change: { kind: 'picture', picture } })
        } catch (error) {
          // A repeated call may be refused, too, for its pace: what it made before stays.
          const isRefused = error instanceof RequestRefused
          const isNamed = (await groups.find(params.id))?.picture === picture
          if (isRefused && !isNamed) await media.remove(file.mediaId)
          throw error
        }
      },
    }),

    defineRoute({
      method: 'delete',
      path: '/groups/{id}',
      access: 'signed-in',
      summary: 'Ends a group for everybody, with all that was written in it. Only its owner can.',
      params: groupParam,
      status: 200,
      answer: z.object({ isDeleted: z.literal(true) }),
      errors: ['group_not_found', 'owner_only'],
      async handle({ caller: { userId }, params }) {
        if (!(await groups.findOwn(userId, params.id))) throw new RequestRefused('group_not_found')
        await groups.remove(userId, params.id)
        return { isDeleted: true as const }
      },
    }),

    defineRoute({
      method: 'post',
      path: '/groups/{id}/members',
      access: 'signed-in',
      summary: 'Adds people to a group: all of them, or nobody.',
      params: groupParam,
      headers: idempotencyKey,
      body: groupAddition,
      status: 200,
      answer: changedGroup,
      errors: [...changeErrors, 'group_full', 'group_used_up', 'cannot_add', 'too_many_added'],
      handle: async ({ body: { memberIds, seenUpTo }, ...call }) =>
        await apply({ ...call, change: { kind: 'add', userIds: memberIds }, seenUpTo }),
    }),

    defineRoute({
      method: 'put',
      path: '/groups/{id}/members/{userId}',
      access: 'signed-in',
      summary:
        'Gives a member another role. Who makes somebody the owner is an admin from then on.',
      params: memberParam,
      headers: idempotencyKey,
      body: groupRoleChange,
      status: 200,
      answer: changedGroup,
      errors: [...changeErrors, 'not_in_group', 'owner_only', 'owner_stays'],
      handle: async ({ body: { role, seenUpTo }, ...call }) =>
        await apply({
          ...call,
          change: { kind: 'role', userId: call.params.userId, role },
          seenUpTo,
        }),
    }),

    defineRoute({
      method: 'delete',
      path: '/groups/{id}/members/{userId}',
      access: 'signed-in',
      summary: 'Removes a member. They go on reading what was there until then.',
      params: memberParam,
      query: groupSeen,
      headers: idempotencyKey,
      status: 200,
      answer: changedGroup,
      errors: [...changeErrors, 'not_in_group', 'owner_stays'],
      handle: async ({ query: { seenUpTo }, ...call }) =>
        await apply({ ...call, change: { kind: 'remove', userId: call.params.userId }, seenUpTo }),
    }),

    defineRoute({
      method: 'post',
      path: '/groups/{id}/leave',
      access: 'signed-in',
      summary:
        'Leaves a group. The longest-standing admin, or else member, owns it after its owner; the last one ends it.',
      params: groupParam,
      headers: idempotencyKey,
      status: 200,
      answer: changedGroup,
      errors: ['group_not_found', 'too_many_messages'],
      handle: async (call) => await apply({ ...call, change: { kind: 'leave' } }),
    }),
  ]
}
