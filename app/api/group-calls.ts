import * as z from 'zod/mini'
import {
  type GroupAnswer,
  type GroupInviteAnswer,
  type GroupMarks,
  type GroupPreview,
  groupAnswer,
  groupInviteAnswer,
  groupJoined,
  groupMarks,
  groupPreview,
  groupRequests,
} from '../../schema/api/groups.ts'
import { limitUploadMs } from '../../schema/api/wire.ts'
import type { GroupChange, GroupRole, GroupSettings } from '../../schema/group.ts'
import { requireInput } from './api-error.ts'
import type { Caller, CallOptions } from './caller.ts'
import { requirePicture } from './own-calls.ts'

const oneGroup = z.object({ group: groupAnswer })
const changedGroup = z.object({ group: z.nullable(groupAnswer) })

interface Asked {
  groupId: string
  /** How far the caller had seen the group: a change that is late decides nothing newer. */
  seenUpTo?: number | undefined
}

/** Groups, and each change of them; a change answers null once the caller is not in it any more. */
export function createGroupCalls(call: Caller) {
  const pathOf = (groupId: string) => `/groups/${encodeURIComponent(groupId)}`
  const joinPathOf = (code: string) => `/groups/join/${encodeURIComponent(code)}`

  async function send(given: {
    method: 'POST' | 'PUT' | 'DELETE'
    groupId: string
    path?: string
    body?: object
    options: CallOptions | undefined
  }): Promise<GroupAnswer | null> {
    const { method, groupId, path = '', body, options } = given
    requireInput(groupId, 'Group ID is required')
    const { group } = await call({
      ...options,
      method,
      path: `${pathOf(groupId)}${path}`,
      body,
      answer: changedGroup,
      fallback: 'Failed to change the group',
    })
    return group
  }

  const calls = {
    async list(): Promise<GroupAnswer[]> {
      const { groups } = await call({
        path: '/groups',
        answer: z.object({ groups: z.array(groupAnswer) }),
        fallback: 'Failed to fetch groups',
      })
      return groups
    },

    async get(groupId: string): Promise<GroupAnswer> {
      requireInput(groupId, 'Group ID is required')
      const path = pathOf(groupId)
      return (await call({ path, answer: oneGroup, fallback: 'Failed to fetch the group' })).group
    },

    /** How far the others have received and read, and the smallest of each. */
    async marks(groupId: string): Promise<GroupMarks> {
      requireInput(groupId, 'Group ID is required')
      return await call({
        path: `${pathOf(groupId)}/marks`,
        answer: groupMarks,
        fallback: 'Failed to fetch who has read',
      })
    },

    /** Makes a group with these people. @param given.groupId makes a repeated call the same group */
    async create(
      given: {
        groupId?: string | undefined
        name: string
        memberIds: readonly string[]
        description?: string | undefined
      },
      options?: CallOptions,
    ): Promise<GroupAnswer> {
      const { groupId, ...body } = given
      requireInput(given.name.trim(), 'A group needs a name.')
      const { group } = await call({
        ...options,
        method: 'POST',
        path: '/groups',
        body: { ...body, ...(groupId !== undefined && { _id: groupId }) },
        answer: oneGroup,
        fallback: 'Failed to create the group',
      })
      return group
    },

    edit: (
      asked: Asked & {
        name?: string
        description?: string
        /** Removes it: a new one comes with `setPicture`. */
        picture?: null
        settings?: Partial<GroupSettings>
      },
      options?: CallOptions,
    ) => {
      const { groupId, ...body } = asked
      return send({ method: 'PUT', groupId, body, options })
    },

    /** @param asked.picture JPEG, PNG or WebP of at most 5 MB */
    async setPicture(
      asked: { groupId: string; picture: Blob },
      options?: CallOptions,
    ): Promise<GroupAnswer | null> {
      const { groupId, picture } = asked
      requireInput(groupId, 'Group ID is required')
      requirePicture(picture)
      const form = new FormData()
      form.set('groupPicture', picture)
      const { group } = await call({
        ...options,
        method: 'PUT',
        path: `${pathOf(groupId)}/picture`,
        body: form,
        answer: changedGroup,
        fallback: 'Failed to change the group’s picture',
        timeoutMs: limitUploadMs(picture.size),
      })
      return group
    },

    addMembers: (asked: Asked & { memberIds: readonly string[] }, options?: CallOptions) => {
      const { groupId, ...body } = asked
      return send({ method: 'POST', groupId, path: '/members', body, options })
    },

    removeMember: (asked: Asked & { userId: string }, options?: CallOptions) => {
      const { groupId, userId, seenUpTo } = asked
      const query = seenUpTo === undefined ? '' : `?seenUpTo=${seenUpTo}`
      const path = `/members/${encodeURIComponent(userId)}${query}`
      return send({ method: 'DELETE', groupId, path, options })
    },

    setRole: (asked: Asked & { userId: string; role: GroupRole }, options?: CallOptions) => {
      const { groupId, userId, ...body } = asked
      const path = `/members/${encodeURIComponent(userId)}`
      return send({ method: 'PUT', groupId, path, body, options })
    },

    leave: (groupId: string, options?: CallOptions) =>
      send({ method: 'POST', groupId, path: '/leave', options }),

    /** A new link into the group; the one before holds no longer. @param wanted.endsAt epoch ms */
    async makeInvite(
      groupId: string,
      wanted: { requiresApproval?: boolean; usesMax?: number; endsAt?: number } = {},
    ): Promise<GroupInviteAnswer> {
      requireInput(groupId, 'Group ID is required')
      const { endsAt, ...body } = wanted
      return await call({
        method: 'POST',
        path: `${pathOf(groupId)}/invite`,
        body: { ...body, ...(endsAt !== undefined && { endsAt: new Date(endsAt).toISOString() }) },
        answer: groupInviteAnswer,
        fallback: 'Failed to make a link',
      })
    },

    /** The link that holds now; null without one. */
    async getInvite(groupId: string): Promise<GroupInviteAnswer | null> {
      requireInput(groupId, 'Group ID is required')
      const { invite } = await call({
        path: `${pathOf(groupId)}/invite`,
        answer: z.object({ invite: z.nullable(groupInviteAnswer) }),
        fallback: 'Failed to fetch the link',
      })
      return invite
    },

    /** @param options.code withdraws this link alone, and no newer one */
    async revokeInvite(
      groupId: string,
      { code, ...options }: CallOptions & { code?: string } = {},
    ): Promise<void> {
      requireInput(groupId, 'Group ID is required')
      const query = code === undefined ? '' : `?code=${encodeURIComponent(code)}`
      await call({
        ...options,
        method: 'DELETE',
        path: `${pathOf(groupId)}/invite${query}`,
        answer: z.object({ isRevoked: z.literal(true) }),
        fallback: 'Failed to withdraw the link',
      })
    },

    /** What a link leads to. */
    async preview(code: string): Promise<GroupPreview> {
      requireInput(code, 'A link is required')
      return await call({
        path: joinPathOf(code),
        answer: groupPreview,
        fallback: 'Failed to fetch the group',
      })
    },

    /** Comes in by a link, or asks to: null until an admin has answered. */
    async join(code: string, options?: CallOptions): Promise<GroupAnswer | null> {
      requireInput(code, 'A link is required')
      const { group } = await call({
        ...options,
        method: 'POST',
        path: joinPathOf(code),
        answer: groupJoined,
        fallback: 'Failed to join the group',
      })
      return group
    },

    /** Who asks to be let in, the longest first. */
    async requests(groupId: string): Promise<{ userId: string; askedAt: string }[]> {
      requireInput(groupId, 'Group ID is required')
      const { requests } = await call({
        path: `${pathOf(groupId)}/requests`,
        answer: groupRequests,
        fallback: 'Failed to fetch who asks to join',
      })
      return requests
    },

    /** Lets somebody in who asks for it, or not. */
    async answerRequest(
      asked: { groupId: string; userId: string; isAccepted: boolean },
      options?: CallOptions,
    ): Promise<GroupAnswer> {
      const { groupId, userId, isAccepted } = asked
      requireInput(groupId, 'Group ID is required')
      const { group } = await call({
        ...options,
        method: 'POST',
        path: `${pathOf(groupId)}/requests/${encodeURIComponent(userId)}`,
        body: { isAccepted },
        answer: oneGroup,
        fallback: 'Failed to answer the request',
      })
      return group
    },
  }

  return {
    ...calls,
    /**
     * Any change of a group, as an app keeps it until there is a network.
     * @param asked.picture the new one, which has no address yet
     */
    async change(
      asked: { groupId: string; change: GroupChange; seenUpTo?: number; picture?: Blob },
      options?: CallOptions,
    ): Promise<GroupAnswer | null> {
      const { groupId, change, seenUpTo, picture } = asked
      const seen = { groupId, ...(seenUpTo !== undefined && { seenUpTo }) }
      switch (change.kind) {
        case 'create': {
          const { name, description, userIds: memberIds } = change
          return await calls.create({ groupId, name, description, memberIds }, options)
        }
        case 'rename':
          return await calls.edit({ ...seen, name: change.name }, options)
        case 'describe':
          return await calls.edit({ ...seen, description: change.description }, options)
        case 'picture':
          return picture
            ? await calls.setPicture({ groupId, picture }, options)
            : await calls.edit({ ...seen, picture: null }, options)
        case 'settings':
          return await calls.edit({ ...seen, settings: change.settings }, options)
        case 'add':
          return await calls.addMembers({ ...seen, memberIds: change.userIds }, options)
        case 'remove':
          return await calls.removeMember({ ...seen, userId: change.userId }, options)
        case 'role':
          return await calls.setRole({ ...seen, userId: change.userId, role: change.role }, options)
        case 'leave':
          return await calls.leave(groupId, options)
      }
    },
  }
}
