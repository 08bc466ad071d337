import { expect, test } from 'vitest'
import { type AnyCall, ben } from './testing/group-call-catalogue.ts'
import { openTestAnswers } from './testing/open-test-answers.ts'

test.each<[what: string, call: AnyCall, words: string]>([
  ['a user id', (api) => api.users.get(''), 'User ID is required'],
  ['a user id', (api) => api.users.getActivity(''), 'User ID is required'],
  [
    'a user id',
    (api) => api.users.setBlocked({ userId: '', blocked: true }),
    'User ID is required',
  ],
  [
    'a user id',
    (api) => api.users.report({ userId: '', reason: 'a reason' }),
    'User ID is required',
  ],
  ['a user id', (api) => api.messages.list(''), 'User ID is required'],
  ['a user id', (api) => api.conversations.markRead(''), 'User ID is required'],
  ['a user id', (api) => api.conversations.getStats(''), 'User ID is required'],
  ['profile data', (api) => api.own.updateProfile({}), 'Profile data is required'],
  ['settings', (api) => api.own.updateSettings(JSON.parse('null')), 'Settings object is required'],
  [
    'the password',
    (api) => api.own.deleteAccount({ password: '' }),
    'Deleting your account needs your password.',
  ],
  ['a picture', (api) => api.own.updatePicture(JSON.parse('null')), 'Image file is required'],
  [
    'a picture of a kind that is taken',
    (api) => api.own.updatePicture(new Blob(['x'], { type: 'image/gif' })),
    'Invalid file type. Please upload a JPEG, PNG, or WebP image.',
  ],
  [
    'a picture that is not too large',
    (api) =>
      api.own.updatePicture(new Blob([new Uint8Array(5 * 1024 * 1024 + 1)], { type: 'image/png' })),
    'File size too large. Maximum size is 5MB.',
  ],
  [
    'a reason',
    (api) => api.users.report({ userId: ben, reason: '  spam  ' }),
    'Reason must be at least 5 characters long',
  ],
  [
    'a whole number',
    (api) => api.users.findByPhone('123 456 789'),
    'Phone number must be at least 10 digits',
  ],
  [
    'both numbers',
    (api) => api.own.linkWhatsApp({ wa_id: '', phone_number: '1' }),
    'WhatsApp ID and phone number are required',
  ],
  ['a phone', (api) => api.messages.listByPhone(''), 'Phone number is required'],
  [
    'a recipient',
    (api) => api.messages.send({ recipientId: '', content: 'x' }),
    'Missing required message data',
  ],
  [
    'content',
    (api) => api.messages.send({ recipientId: ben, content: '' }),
    'Missing required message data',
  ],
  ['a message id', (api) => api.messages.setStarred('', true), 'Message ID is required'],
  ['a message id', (api) => api.messages.edit('', 'x'), 'Message ID is required'],
  [
    'a message id',
    (api) => api.messages.forward({ messageId: '', recipientIds: [ben] }),
    'Message ID is required',
  ],
  [
    'people',
    (api) => api.messages.forward({ messageId: 'm', recipientIds: [] }),
    'Choose at least one person',
  ],
  ['content', (api) => api.messages.edit('m', ''), 'The new content is required'],
  ['messages', (api) => api.messages.removeAll([]), 'Choose at least one message'],
])('without %s nothing is sent: %#', async (_what, call, words) => {
  const { api, asked } = await openTestAnswers({ status: 500 })
  await expect(call(api)).rejects.toMatchObject({ message: words, code: 'input' })
  expect(asked).toEqual([])
})

test('searches for too little answer an empty list, and ask nobody', async () => {
  const { api, asked } = await openTestAnswers({ status: 500 })
  expect(await api.users.search(' a ')).toEqual([])
  expect(await api.users.searchByPhone('+1 2')).toEqual([])
  expect(asked).toEqual([])
})
