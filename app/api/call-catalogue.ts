import type { Api } from './create-api.ts'

export type AnyCall = (api: Api) => Promise<unknown>
/** A call, the line that the server is asked for, and the words of a failure that has none of its own. */
type Row = readonly [name: string, call: AnyCall, line: string, fallback: string]

export const ben = '01900000-0000-7000-8000-00000000000b'
export const picture = new Blob(['x'], { type: 'image/png' })
const talk = `/api/messages/conversations/${ben}`

/** Every call of the library. */
export const callCatalogue: readonly Row[] = [
  [
    'auth.login',
    (api) => api.auth.login({ username: 'ann', password: 'secret' }),
    'POST /api/auth/login',
    'Login failed',
  ],
  [
    'auth.register',
    (api) => api.auth.register({ username: 'ann', email: 'a@b.c', password: 'secret' }),
    'POST /api/auth/register',
    'Registration failed',
  ],
  ['auth.logout', (api) => api.auth.logout(ben), 'POST /api/auth/logout', 'Logout failed'],
  ['own.me', (api) => api.own.me(), 'GET /api/users/me', 'Failed to fetch current user'],
  [
    'own.updateProfile',
    (api) => api.own.updateProfile({ status: 'hi' }),
    'PUT /api/users/profile',
    'Failed to update profile',
  ],
  [
    'own.updatePicture',
    (api) => api.own.updatePicture(picture),
    'PUT /api/users/profile/picture',
    'Failed to update profile picture',
  ],
  [
    'own.updateSettings',
    (api) => api.own.updateSettings({ theme: 'dark' }),
    'PUT /api/users/settings',
    'Failed to update settings',
  ],
  [
    'own.setOnline',
    (api) => api.own.setOnline(true),
    'PUT /api/users/status/online',
    'Failed to update online status',
  ],
  [
    'own.linkWhatsApp',
    (api) => api.own.linkWhatsApp({ wa_id: '1234567890', phone_number: '1234567890' }),
    'POST /api/users/link-whatsapp',
    'Failed to link WhatsApp account',
  ],
  [
    'own.unlinkWhatsApp',
    (api) => api.own.unlinkWhatsApp(),
    'POST /api/users/unlink-whatsapp',
    'Failed to unlink WhatsApp account',
  ],
  [
    'own.changePassword',
    (api) => api.own.changePassword({ currentPassword: 'secret', newPassword: 'secrets' }),
    'PUT /api/users/me/password',
    'Failed to change the password',
  ],
  [
    'own.listSessions',
    (api) => api.own.listSessions(),
    'GET /api/users/me/sessions',
    'Failed to fetch your sign-ins',
  ],
  [
    'own.endSession',
    (api) => api.own.endSession('a/b'),
    'DELETE /api/users/me/sessions/a%2Fb',
    'Failed to end this sign-in',
  ],
  [
    'own.endOtherSessions',
    (api) => api.own.endOtherSessions(),
    'DELETE /api/users/me/sessions',
    'Failed to end the other sign-ins',
  ],
  [
    'own.readUsage',
    (api) => api.own.readUsage(),
    'GET /api/users/me/usage',
    'Failed to fetch your storage',
  ],
  [
    'own.exportAccount',
    (api) => api.own.exportAccount(),
    'GET /api/users/me/export',
    'Failed to export your data',
  ],
  [
    'own.deleteAccount',
    (api) => api.own.deleteAccount(),
    'DELETE /api/users/me',
    'Failed to delete account',
  ],
  ['users.list', (api) => api.users.list(), 'GET /api/users', 'Failed to fetch users'],
  ['users.get', (api) => api.users.get(ben), `GET /api/users/${ben}`, 'Failed to fetch user'],
  [
    'users.getWithRetry',
    (api) => api.users.getWithRetry(ben),
    `GET /api/users/${ben}`,
    'Failed to fetch user',
  ],
  [
    'users.search',
    (api) => api.users.search(' a/b '),
    'GET /api/users/search/a%2Fb',
    'Failed to search users',
  ],
  [
    'users.findByPhone',
    (api) => api.users.findByPhone('+1 (234) 567-890-1'),
    'GET /api/users/phone/12345678901',
    'Failed to find user by phone number',
  ],
  [
    'users.searchByPhone',
    (api) => api.users.searchByPhone('12-3'),
    'GET /api/users/search/phone/123',
    'Failed to search users',
  ],
  [
    'users.getActivity',
    (api) => api.users.getActivity(ben),
    `GET /api/users/${ben}/activity`,
    'Failed to fetch user activity',
  ],
  [
    'users.setBlocked',
    (api) => api.users.setBlocked({ userId: ben, blocked: true }),
    `PUT /api/users/${ben}/block`,
    'Failed to block user',
  ],
  [
    'users.listBlocked',
    (api) => api.users.listBlocked(),
    'GET /api/users/blocked',
    'Failed to fetch blocked users',
  ],
  [
    'users.report',
    (api) => api.users.report({ userId: ben, reason: ' spam! ' }),
    `POST /api/users/${ben}/report`,
    'Failed to report user',
  ],
  [
    'messages.list',
    (api) => api.messages.list(ben, { before: 'm', limit: 9 }),
    `GET /api/messages/${ben}?before=m&limit=9`,
    'Failed to fetch messages',
  ],
  [
    'messages.listByPhone',
    (api) => api.messages.listByPhone('+123'),
    'GET /api/messages/phone/%2B123',
    'Failed to fetch messages by phone',
  ],
  [
    'messages.send',
    (api) => api.messages.send({ recipientId: ben, content: 'hi' }),
    'POST /api/messages',
    'Failed to send message',
  ],
  [
    'messages.send',
    (api) => api.messages.send({ recipientId: ben, content: 'hi', whatsappData: {} }),
    'POST /api/messages',
    'Failed to send WhatsApp message',
  ],
  [
    'messages.setStatus',
    (api) => api.messages.setStatus('m', 'read'),
    'PUT /api/messages/m/status',
    'Failed to update message status',
  ],
  [
    'messages.getStatus',
    (api) => api.messages.getStatus('m'),
    'GET /api/messages/m/status',
    'Failed to get message status',
  ],
  [
    'messages.getStatusHistory',
    (api) => api.messages.getStatusHistory('m'),
    'GET /api/messages/m/status-history',
    'Failed to get message status history',
  ],
  [
    'messages.edit',
    (api) => api.messages.edit('m', 'new'),
    'PUT /api/messages/m',
    'Failed to edit message',
  ],
  [
    'messages.remove',
    (api) => api.messages.remove('m'),
    'DELETE /api/messages/m',
    'Failed to delete message',
  ],
  [
    'messages.removeAll',
    (api) => api.messages.removeAll(['m']),
    'POST /api/messages/delete-bulk',
    'Failed to delete messages',
  ],
  [
    'messages.forward',
    (api) => api.messages.forward({ messageId: 'm', recipientIds: [ben] }),
    'POST /api/messages/m/forward',
    'Failed to forward message',
  ],
  [
    'messages.setStarred',
    (api) => api.messages.setStarred('m', true),
    'PUT /api/messages/m/star',
    'Failed to star message',
  ],
  [
    'messages.setReaction',
    (api) => api.messages.setReaction('m', '👍'),
    'PUT /api/messages/m/reaction',
    'Failed to react to message',
  ],
  [
    'messages.listStarred',
    (api) => api.messages.listStarred(),
    'GET /api/messages/starred',
    'Failed to get starred messages',
  ],
  [
    'messages.search',
    (api) => api.messages.search({ query: 'a b', userId: ben }),
    `GET /api/messages/search?query=a+b&userId=${ben}`,
    'Failed to search messages',
  ],
  [
    'messages.upload',
    (api) => api.messages.upload({ file: picture, filename: 'a.png' }),
    'POST /api/messages/upload',
    'Failed to upload media',
  ],
  [
    'conversations.list',
    (api) => api.conversations.list(),
    'GET /api/messages/conversations',
    'Failed to fetch conversations',
  ],
  [
    'conversations.markRead',
    (api) => api.conversations.markRead(ben),
    `PUT ${talk}/read`,
    'Failed to mark messages as read',
  ],
  [
    'conversations.setArchived',
    (api) => api.conversations.setArchived(ben, true),
    `PUT ${talk}/archive`,
    'Failed to archive conversation',
  ],
  [
    'conversations.setPinned',
    (api) => api.conversations.setPinned(ben, true),
    `PUT ${talk}/pin`,
    'Failed to pin conversation',
  ],
  [
    'conversations.setMuted',
    (api) => api.conversations.setMuted(ben, true),
    `PUT ${talk}/mute`,
    'Failed to mute conversation',
  ],
  [
    'conversations.getStats',
    (api) => api.conversations.getStats(ben),
    `GET ${talk}/stats`,
    'Failed to get conversation stats',
  ],
]
