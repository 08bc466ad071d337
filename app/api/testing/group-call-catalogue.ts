import type { Api } from '../api.ts'

export type AnyCall = (api: Api) => Promise<unknown>
/** A call, its request line, and the fallback words for a failure. */
export type CallRow = readonly [name: string, call: AnyCall, line: string, fallback: string]

export const ben = '01900000-0000-7000-8000-00000000000b'

/** The calls of groups. */
export const groupCalls: readonly CallRow[] = [
  ['groups.list', (api) => api.groups.list(), 'GET /api/groups', 'Failed to fetch groups'],
  [
    'groups.get',
    (api) => api.groups.get(ben),
    `GET /api/groups/${ben}`,
    'Failed to fetch the group',
  ],
  [
    'groups.marks',
    (api) => api.groups.marks(ben),
    `GET /api/groups/${ben}/marks`,
    'Failed to fetch who has read',
  ],
  [
    'groups.create',
    (api) => api.groups.create({ name: 'Walks', memberIds: [ben] }),
    'POST /api/groups',
    'Failed to create the group',
  ],
  [
    'groups.edit',
    (api) => api.groups.edit({ groupId: ben, name: 'Walks' }),
    `PUT /api/groups/${ben}`,
    'Failed to change the group',
  ],
  [
    'groups.setPicture',
    (api) =>
      api.groups.setPicture({ groupId: ben, picture: new Blob(['x'], { type: 'image/png' }) }),
    `PUT /api/groups/${ben}/picture`,
    'Failed to change the group’s picture',
  ],
  [
    'groups.addMembers',
    (api) => api.groups.addMembers({ groupId: ben, memberIds: [ben] }),
    `POST /api/groups/${ben}/members`,
    'Failed to change the group',
  ],
  [
    'groups.removeMember',
    (api) => api.groups.removeMember({ groupId: ben, userId: ben, seenUpTo: 7 }),
    `DELETE /api/groups/${ben}/members/${ben}?seenUpTo=7`,
    'Failed to change the group',
  ],
  [
    'groups.setRole',
    (api) => api.groups.setRole({ groupId: ben, userId: ben, role: 'admin' }),
    `PUT /api/groups/${ben}/members/${ben}`,
    'Failed to change the group',
  ],
  [
    'groups.leave',
    (api) => api.groups.leave(ben),
    `POST /api/groups/${ben}/leave`,
    'Failed to change the group',
  ],
  [
    'groups.makeInvite',
    (api) => api.groups.makeInvite(ben, { requiresApproval: true }),
    `POST /api/groups/${ben}/invite`,
    'Failed to make a link',
  ],
  [
    'groups.getInvite',
    (api) => api.groups.getInvite(ben),
    `GET /api/groups/${ben}/invite`,
    'Failed to fetch the link',
  ],
  [
    'groups.revokeInvite',
    (api) => api.groups.revokeInvite(ben),
    `DELETE /api/groups/${ben}/invite`,
    'Failed to withdraw the link',
  ],
  [
    'groups.preview',
    (api) => api.groups.preview('code'),
    'GET /api/groups/join/code',
    'Failed to fetch the group',
  ],
  [
    'groups.join',
    (api) => api.groups.join('code'),
    'POST /api/groups/join/code',
    'Failed to join the group',
  ],
  [
    'groups.requests',
    (api) => api.groups.requests(ben),
    `GET /api/groups/${ben}/requests`,
    'Failed to fetch who asks to join',
  ],
  [
    'groups.answerRequest',
    (api) => api.groups.answerRequest({ groupId: ben, userId: ben, isAccepted: true }),
    `POST /api/groups/${ben}/requests/${ben}`,
    'Failed to answer the request',
  ],
  [
    'groups.change',
    (api) => api.groups.change({ groupId: ben, change: { kind: 'leave' } }),
    `POST /api/groups/${ben}/leave`,
    'Failed to change the group',
  ],
]
