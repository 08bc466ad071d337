import { afterAll, expect, test } from 'vitest'
import { wireHeader, wireVersion } from '../../schema/api/wire.ts'
import { openTestChat } from '../testing/open-test-chat.ts'

const chat = await openTestChat()
const [ann, ben] = [await chat.register('Ann'), await chat.register('Ben')]
afterAll(() => chat.close())
await chat.say(ann, ben, 'how are you?')

const party = { phone_number: null, wa_id: null, whatsapp_name: null }
const user = { ...party, phone_number_id: null, profile: null }
const message = {
  ...{ replyTo: null, mediaUrl: null, error: null, isWhatsApp: false, senderName: null },
  ...{ whatsapp_message_id: null, whatsapp_timestamp: null, from_phone: null, to_phone: null },
  ...{ interactive: null, location: null, contacts: [], button: null, list_reply: null },
  template: null,
  sender: expect.objectContaining(party),
  recipient: expect.objectContaining(party),
}
const conversation = {
  ...{ groupName: null, groupAvatar: null, whatsapp_conversation_id: null, contacts: [] },
  ...{ phone_number_id: null, display_phone_number: null },
  user: expect.objectContaining(user),
  lastMessage: expect.objectContaining(message),
}

const get = (path: string, headers = {}) =>
  chat.app.call('GET', `/api${path}`, { token: ann.token, headers })

test.each([
  ['/users/me', user],
  [`/users/${ben.userId}`, user],
  ['/users', [expect.objectContaining(user)]],
  [`/messages/${ben.userId}`, [expect.objectContaining(message)]],
  ['/messages/conversations', [expect.objectContaining(conversation)]],
])(
  '%s has every field of its entities, with null, false or [] without a value',
  async (path, expected) => {
    expect((await get(path)).body).toMatchObject(expected)
  },
)

test('what is sent, and who signs in, are answered whole too', async () => {
  const body = { recipientId: ben.userId, content: 'hello' }
  expect((await chat.as(ann).post('/messages', body)).body).toMatchObject(message)
  const { username, password } = ann
  const signIn = await chat.app.call('POST', '/api/auth/login', { body: { username, password } })
  expect(signIn.body.user).toMatchObject(user)
})

test('the app’s own protocol leaves out what has no value', async () => {
  const answer = await get(`/messages/${ben.userId}`, { [wireHeader]: String(wireVersion) })
  expect(answer.status).toBe(200)
  expect(Object.keys(answer.body[0])).not.toContain('replyTo')
})

test('the description says so', async () => {
  const { components } = (await get('/openapi.json')).body
  expect(components.schemas.Message.required).toEqual(
    expect.arrayContaining(['replyTo', 'contacts']),
  )
  expect(components.schemas.User.required).toEqual(expect.arrayContaining(['wa_id', 'profile']))
  expect(components.schemas.Conversation.required).toContain('groupName')
})

test('an empty picture means none', async () => {
  const answer = await chat.as(ann).put('/users/profile', { profilePicture: '' })
  expect([answer.status, answer.body.profilePicture]).toEqual([200, null])
})
