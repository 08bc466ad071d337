import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientEvents, serverEvents } from '../../schema/api/socket-events.ts'
import { startTestApp, type TestApp } from '../testing/start-test-app.ts'
import type { ApiDescription } from './docs-routes.ts'

/** A call or an event, the test file that covers it, and a title in that file. */
type Row = [call: string, file: string, title: string]

const auth = 'auth/auth.test.ts'
const users = 'users/users.test.ts'
const relations = 'users/relations.test.ts'
const reactions = 'messages/reactions.test.ts'
const account = 'auth/account.test.ts'
const whatsApp = 'users/whatsapp.test.ts'
const messages = 'messages/messages.test.ts'
const sending = 'messages/sending.test.ts'
const lists = 'messages/message-lists.test.ts'
const conversations = 'messages/conversations.test.ts'
const sockets = '../realtime/sockets.test.ts'
const changes = '../realtime/presence-changes.test.ts'
const views = '../realtime/presence-views.test.ts'
const lines = '../realtime/change-lines.test.ts'
const linePushes = '../realtime/line-pushes.test.ts'
const sendingOver = '../whatsapp/sending.test.ts'
const linking = '../whatsapp/linking.test.ts'
const receiving = '../whatsapp/receiving.test.ts'
const quota = '../budget/storage-quota.test.ts'
const pieces = '../media/unfinished-uploads.test.ts'
const pushes = '../push/push.test.ts'

const administration = '../admin/administration.test.ts'
const deviceLinks = 'auth/linking.test.ts'

/** Every call of decision 61, section 7. */
const specified: Row[] = [
  ['POST /auth/login', auth, 'takes the username, the email and the phone number'],
  ['POST /auth/register', auth, 'creates a person and signs in'],
  ['POST /auth/logout', auth, 'ends the sign-in, and no other'],
  ['GET /users/me', users, 'GET /users/me: has everything'],
  ['GET /users', users, 'GET /users: are listed without oneself'],
  ['GET /users/{id}', users, 'GET /users/{id}: are shown one by one'],
  ['PUT /users/profile', users, 'PUT /users/profile: refuses %j'],
  ['PUT /users/status/online', users, 'PUT /users/status/online: says that it is online'],
  ['GET /users/search/{query}', users, 'GET /users/search/{query}: are found by a part'],
  ['PUT /users/profile/picture', 'media/pictures.test.ts', 'is in its owner’s record'],
  ['PUT /users/{id}/block', relations, 'keeps messages and presence away, and lets them again'],
  ['GET /users/blocked', relations, 'lists the people one has blocked oneself'],
  ['POST /users/{id}/report', relations, 'keeps the reason for whoever keeps the server'],
  ['GET /users/{id}/activity', users, 'GET /users/{id}/activity: tell when they were last active'],
  ['PUT /users/settings', users, 'PUT /users/settings: keeps settings, bare or wrapped'],
  ['POST /users/link-whatsapp', whatsApp, 'keeps both numbers, digits only, and shows the link'],
  ['POST /users/unlink-whatsapp', whatsApp, 'takes the link away, once or twice, and no history'],
  ['GET /users/phone/{digits}', relations, 'finds the person of a whole number'],
  ['GET /users/search/phone/{digits}', relations, 'finds by a part of the number'],
  ['GET /messages/conversations', conversations, 'joins the person, the newest message'],
  ['GET /messages/{userId}', lists, 'pages back from the newest 50, oldest first'],
  ['GET /messages/phone/{phone}', lists, 'is the conversation with the person of a number'],
  ['POST /messages', sending, 'answers 201 with the message, people and ISO times in it'],
  ['PUT /messages/{id}/status', conversations, 'is the recipient’s word, and never goes back'],
  ['GET /messages/{id}/status-history', conversations, 'grows with each step'],
  ['GET /messages/{id}/status', conversations, 'says where a message stands, and since when'],
  ['DELETE /messages/{id}', messages, 'takes the words from both, and is the same again'],
  ['PUT /messages/conversations/{userId}/read', conversations, 'leaves nothing unread'],
  ['GET /messages/search', lists, 'finds in any case, newest first, a page at a time'],
  ['POST /messages/upload', 'media/uploads.test.ts', 'above the limit is told so in words'],
  ['PUT /messages/conversations/{userId}/archive', conversations, 'sets and takes back, at once'],
  ['PUT /messages/conversations/{userId}/pin', conversations, 'sets and takes back, at once'],
  ['PUT /messages/conversations/{userId}/mute', conversations, 'sets and takes back, at once'],
  ['POST /messages/{id}/forward', sending, 'sends it on to each'],
  ['PUT /messages/{id}/star', messages, 'stars one’s own copy only'],
  ['GET /messages/starred', lists, 'lists what one has starred oneself, newest first'],
  ['PUT /messages/{id}', messages, 'changes the text for both'],
  ['POST /messages/delete-bulk', messages, 'deletes all of one’s own'],
  [
    'GET /messages/conversations/{userId}/stats',
    conversations,
    'counts what the conversation holds',
  ],
  ['POST /webhooks/send', sendingOver, 'sends a text, always with a plus, and the same id once'],
  ['GET /webhooks/status/{id}', linking, 'not by calls, not by the socket, not by reprocessing'],
  ['GET /webhooks/message-status/{id}', sendingOver, 'sends a text, always with a plus'],
  [
    'POST /webhooks/reprocess/{id}',
    linking,
    'not by calls, not by the socket, not by reprocessing',
  ],
  ['GET /webhooks/stats', sendingOver, 'GET /webhooks/stats counts each status once'],
]

const inGroups = '../groups/groups.test.ts'
const byLink = '../groups/group-invites.test.ts'

/** What this server answers beyond the specification. */
const beyond: Row[] = [
  ['GET /users/me/sessions', users, 'GET /users/me/sessions,'],
  ['DELETE /users/me/sessions', users, 'DELETE /users/me/sessions,'],
  ['DELETE /users/me/sessions/{id}', users, 'DELETE /users/me/sessions/{id}:'],
  [
    'PUT /messages/{id}/reaction',
    reactions,
    'is in both copies, one for each person, and is changed and taken back',
  ],
  ['POST /auth/device-links', deviceLinks, 'once the person who scanned its code confirms'],
  ['POST /auth/device-links/{id}/wait', deviceLinks, 'learns that it was declined'],
  ['POST /auth/device-links/{id}/cancel', deviceLinks, 'can cancel, which ends it'],
  ['POST /auth/device-links/{id}/complete', deviceLinks, 'is worthless to who only sees it'],
  ['POST /users/me/device-links/{id}', deviceLinks, 'that was scanned is nobody else’s to confirm'],
  ['GET /users/me/device-links/{id}', deviceLinks, 'can cancel, which ends it'],
  ['PUT /users/me/device-links/{id}', deviceLinks, 'works once: a confirm that is replayed'],
  [
    'POST /auth/password-derivation',
    'auth/keys.test.ts',
    'answers for names that nobody has, and keeps to it when somebody registers one',
  ],
  ['GET /users/me/keys', 'auth/keys.test.ts', 'what opens them is told to their person alone'],
  ['PUT /users/me/keys', 'auth/keys.test.ts', 'give way to the next number alone'],
  [
    'PUT /users/me/keys/wraps',
    'auth/keys.test.ts',
    'are wrapped once more with the password alone',
  ],
  ['PUT /users/me/password', users, 'PUT /users/me/password: end with a new password'],
  ['PUT /users/email', 'auth/email.test.ts', 'signs in with the new one alone'],
  ['GET /users/me/usage', quota, 'is known to the byte, after changes, a restart and a kill'],
  ['GET /users/me/export', account, 'streams everything that is kept of a person'],
  ['DELETE /users/me', account, 'ends everything of the person'],
  ['GET /webhooks/templates', sendingOver, 'sends a template to somebody who never wrote'],
  ['POST /users/contacts', linking, 'begins a conversation by a number, once'],
  ['GET /users/contacts/{id}', sendingOver, 'is closed for who never wrote'],
  ['GET /users/me/whatsapp', linking, 'begins a conversation by a number, once'],
  ['GET /media/{id}', 'media/media.test.ts', 'is what its bytes say'],
  ['PUT /messages/uploads/{id}', pieces, 'is one file, given back as it came'],
  ['PATCH /messages/uploads/{id}', pieces, 'holds what was stored before the line broke'],
  [
    'POST /messages/uploads/missing',
    '../media/missing-uploads.test.ts',
    'has the same address when it is uploaded again',
  ],
  [
    'POST /links/preview',
    '../links/link-previews.test.ts',
    'says its title, description and picture',
  ],
  ['DELETE /messages/uploads/{id}', pieces, 'counts in full from its beginning'],
  ['GET /users/me/push', pushes, 'the keys are made once, and stay over restarts'],
  ['PUT /users/me/push', pushes, 'the address %s is refused'],
  ['DELETE /users/me/push', pushes, 'turning it off and deleting the account end the pushes'],
  ['GET /server', administration, 'with REGISTRATION=closed nobody new'],
  ['POST /users/me/invitations', administration, 'who makes an invitation in the app'],
  ['POST /admin/people/list', administration, 'are found by a part of their name or email'],
  ['POST /admin/people/show', administration, 'are found by a part of their name or email'],
  ['POST /admin/people/disable', administration, 'who are disabled are signed out at once'],
  ['POST /admin/people/enable', administration, 'who are disabled are signed out at once'],
  [
    'POST /admin/people/delete',
    administration,
    'may be renamed, given a quota, signed out and deleted',
  ],
  [
    'POST /admin/people/sign-out',
    administration,
    'may be renamed, given a quota, signed out and deleted',
  ],
  [
    'POST /admin/people/quota',
    administration,
    'may be renamed, given a quota, signed out and deleted',
  ],
  [
    'POST /admin/people/rename',
    administration,
    'may be renamed, given a quota, signed out and deleted',
  ],
  ['POST /admin/people/release-name', administration, 'are held after a deletion until somebody'],
  ['POST /admin/people/prove-phone', administration, 'have the phone number that the operator'],
  ['POST /admin/reset-password', administration, 'a forgotten password'],
  ['POST /auth/reset-password', administration, 'a forgotten password'],
  ['POST /auth/reset-password/derivation', administration, 'a forgotten password'],
  ['POST /auth/forgotten-password', administration, 'is answered alike whoever asks'],
  ['POST /admin/grant', administration, 'an admin needs the second factor'],
  ['POST /admin/revoke', administration, 'an admin needs the second factor'],
  ['POST /admin/reports/list', administration, 'wait with names and the reason'],
  ['POST /admin/reports/show', administration, 'wait with names and the reason'],
  ['POST /admin/reports/dismiss', administration, 'wait with names and the reason'],
  ['POST /admin/reports/warn', administration, 'wait with names and the reason'],
  ['POST /admin/reports/disable', administration, 'may disable the account that they are about'],
  ['POST /admin/invites/create', administration, 'with REGISTRATION=invite who has an invitation'],
  ['POST /admin/invites/list', administration, 'with REGISTRATION=invite who has an invitation'],
  ['POST /admin/invites/revoke', administration, 'with REGISTRATION=invite who has an invitation'],
  ['POST /admin/announce', administration, 'an announcement reaches everybody'],
  ['POST /admin/health', administration, 'health is told from the metrics'],
  ['POST /admin/audit', administration, 'every change is in the audit log'],
  ['GET /admin/second-factor', administration, 'an admin needs the second factor'],
  ['POST /admin/second-factor', administration, 'an admin needs the second factor'],
  ['PUT /admin/second-factor', administration, 'an admin needs the second factor'],
  ['GET /openapi.json', 'docs.test.ts', 'describes calls with what they take'],
  ['GET /docs', 'docs.test.ts', 'is a page of its own under the strict policy'],
  ['GET /docs.css', 'docs.test.ts', 'is a page of its own under the strict policy'],
  ['GET /healthz', 'doors.test.ts', 'tell that the server lives, and that it can store'],
  ['GET /readyz', 'doors.test.ts', 'tell that the server lives, and that it can store'],
  ['GET /metrics', 'metrics.test.ts', 'counts requests by their route'],
  ['GET /poll', 'poll.test.ts', 'is greeted at once, and counts for presence until it goes'],
  ['POST /poll', 'poll.test.ts', 'hears the events that a socket hears'],
  [
    'GET /groups',
    inGroups,
    'P2: a request that arrives twice is one change, and a group that is over stays over',
  ],
  [
    'POST /groups',
    inGroups,
    'P2: a request that arrives twice is one change, and a group that is over stays over',
  ],
  [
    'GET /groups/places',
    inGroups,
    'one call says where each group is, for members and for who left, as its changes count',
  ],
  ['GET /groups/{id}', inGroups, 'to others it does not exist, by any door'],
  [
    'PUT /groups/{id}',
    inGroups,
    'each change has its line in its place, and no line is without its change',
  ],
  [
    'PUT /groups/{id}/picture',
    '../groups/group-picture.test.ts',
    'P8: is for its members, is told with a line, and is in every answer about the group',
  ],
  [
    'DELETE /groups/{id}',
    inGroups,
    'P2: a request that arrives twice is one change, and a group that is over stays over',
  ],
  [
    'POST /groups/{id}/members',
    inGroups,
    'each change has its line in its place, and no line is without its change',
  ],
  [
    'PUT /groups/{id}/members/{userId}',
    inGroups,
    'each change has its line in its place, and no line is without its change',
  ],
  [
    'DELETE /groups/{id}/members/{userId}',
    inGroups,
    'each change has its line in its place, and no line is without its change',
  ],
  [
    'POST /groups/{id}/leave',
    inGroups,
    'each change has its line in its place, and no line is without its change',
  ],
  [
    'GET /groups/{id}/marks',
    '../groups/group-marks.test.ts',
    'an author is told once all others have it, and once all have read it',
  ],
  [
    'GET /groups/join/{code}',
    byLink,
    'shows its name and how many are in it, and lets in whoever has it, with a line',
  ],
  [
    'POST /groups/join/{code}',
    byLink,
    'shows its name and how many are in it, and lets in whoever has it, with a line',
  ],
  ['POST /groups/{id}/invite', byLink, 'it has an end, and a number of people'],
  [
    'GET /groups/{id}/invite',
    byLink,
    'of a withdrawn one it says so, of an unknown one too, and a new one ends the one before',
  ],
  [
    'DELETE /groups/{id}/invite',
    byLink,
    'of a withdrawn one it says so, of an unknown one too, and a new one ends the one before',
  ],
  ['GET /groups/{id}/requests', byLink, 'somebody waits until an admin lets them in'],
  [
    'POST /groups/{id}/requests/{userId}',
    byLink,
    'who is declined cannot ask again by that link, and can by another',
  ],
]

/** Events of the socket, both ways. */
const events: Row[] = [
  ['user-online', changes, 'a device that says again and again that it is online'],
  ['watch-people', views, 'and of those it watches, as long as it does'],
  ['front', pushes, 'a device with every tab hidden is pushed to, though it is connected'],
  ['front-wanted', pushes, 'a device that does not understand the question is never asked'],
  ['typing', sockets, 'reaches the one it is for, by its sender’s own id'],
  ['stop-typing', sockets, 'reaches the one it is for, by its sender’s own id'],
  ['set-reaction', reactions, 'P4: does the same by the socket, which tells what was refused'],
  ['send-message', sockets, 'P4: sent by a socket are hinted to the recipient, and stored'],
  ['receive-message', sockets, 'P4: sent by a socket are hinted to the recipient, and stored'],
  ['message-refused', sockets, 'P6: that are refused are told to their author'],
  ['users-online', sockets, 'tells who is online, and when they were last'],
  ['presence-changed', changes, 'two hundred devices are told by one small frame each'],
  ['follow-changes', lines, 'is given what is written, as `_changes` would, without asking'],
  ['changes', lines, 'is given what is written, as `_changes` would, without asking'],
  ['pushes-taken', linePushes, 'is told that it may, where it understands that'],
  ['push-documents', linePushes, 'is answered as by `_bulk_docs`, once both copies are stored'],
  ['push-answered', linePushes, 'is answered as by a request when it pushes %s'],
  ['changes-missed', lines, 'P7: is told at once that it has missed something'],
  ['here', lines, 'is told that its line is alive'],
  [
    'settings-changed',
    'users/settings.test.ts',
    'changed settings are told to the person’s own devices that understand it',
  ],
  [
    'block-changed',
    'users/relations.test.ts',
    'P8: a block is told to the person’s own devices that understand it',
  ],
  ['group-changed', inGroups, 'P7: the line tells the devices of members, and nobody else’s'],
  ['presence-scope', views, 'a device hears of the people that its person has a chat with'],
  ['send-whatsapp-message', linking, 'not by calls, not by the socket, not by reprocessing'],
  ['subscribe-whatsapp-contact', linking, 'begins a conversation by a number, once'],
  ['unsubscribe-whatsapp-contact', linking, 'begins a conversation by a number, once'],
  ['join-whatsapp-conversation', linking, 'not by calls, not by the socket, not by reprocessing'],
  ['leave-whatsapp-conversation', linking, 'begins a conversation by a number, once'],
  ['whatsapp-message-received', receiving, 'a photo is shown at once and its file comes after'],
  ['whatsapp-status-update', sendingOver, 'ends as %s, told once and never backwards'],
  ['whatsapp-webhook-processed', linking, 'not by calls, not by the socket, not by reprocessing'],
  ['whatsapp-contact', linking, 'not by calls, not by the socket, not by reprocessing'],
  ['user-typing', sockets, 'reaches the one it is for, by its sender’s own id'],
  ['user-stop-typing', sockets, 'reaches the one it is for, by its sender’s own id'],
]

const opened = {} as { app: TestApp; served: Set<string> }
beforeAll(async () => {
  opened.app = await startTestApp()
  const api: ApiDescription = (await opened.app.call('GET', '/api/openapi.json')).body
  opened.served = new Set(
    Object.entries(api.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => nameServed(`${method.toUpperCase()} ${path}`)),
    ),
  )
})
afterAll(() => opened.app.close())

/** The name of an id parameter does not distinguish addresses. */
function nameServed(call: string): string {
  return call.replace(/\{\w+\}/g, '{}')
}

function requireTest([call, file, title]: Row) {
  const path = new URL(file, import.meta.url)
  expect(existsSync(path), `${file} is not there`).toBe(true)
  const text = readFileSync(path, 'utf8')
  expect(text, `${file} has no test "${title}"`).toContain(title)
  const word = call.split(/[/ ]/).findLast((part) => /^[a-z]/.test(part)) ?? call
  expect(text, `${file} says nothing of ${word}`).toContain(word)
}

describe.each([
  ['section 7 of the specification', specified],
  ['beyond the specification', beyond],
])('%s', (_what, rows) => {
  it.each(rows)('%s is served, and covered by %s: %s', (...row) => {
    expect(opened.served).toContain(nameServed(row[0]))
    requireTest(row)
  })
})

describe('the socket', () => {
  it.each(events)('%s is covered by %s: %s', (...row) => {
    expect([...Object.keys(clientEvents), ...Object.keys(serverEvents)]).toContain(row[0])
    requireTest(row)
  })

  it('has no event without a row', () => {
    const named = new Set(events.map(([event]) => event))
    const known = [...Object.keys(clientEvents), ...Object.keys(serverEvents)]
    expect(known.filter((event) => !named.has(event))).toEqual([])
  })
})

describe('nothing is left out', () => {
  it('no call is served without a row', () => {
    const named = new Set([...specified, ...beyond].map(([call]) => nameServed(call)))
    expect([...opened.served].filter((call) => !named.has(call))).toEqual([])
  })
})
