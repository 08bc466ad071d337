import { expect, test } from 'vitest'
import { nameChatPage } from './page-title.tsx'
import { readChatPlace } from './read-chat-place.ts'

const ben = '00000000-0000-7000-8000-00000000000b'

test.each([
  ['/chat', { section: 'chats' }],
  ['/chat/', { section: 'chats' }],
  ['/chat/archived', { section: 'archived' }],
  ['/chat/starred', { section: 'starred' }],
  ['/chat/search', { section: 'search' }],
  ['/chat/status', { section: 'status' }],
  ['/chat/calls', { section: 'calls' }],
  [`/chat/${ben}`, { section: 'chats', peerId: ben }],
  [`/chat/${ben}/media`, { section: 'chats', peerId: ben, content: 'media' }],
  [`/chat/${ben}/files`, { section: 'chats', peerId: ben, content: 'files' }],
  [`/chat/${ben}/links`, { section: 'chats', peerId: ben, content: 'links' }],
  [`/chat/${ben}/info`, { section: 'chats', peerId: ben, hasInfo: true }],
  [
    `/chat/${ben}/encryption`,
    { section: 'chats', peerId: ben, hasInfo: true, hasEncryption: true },
  ],
  ['/chat/group/7', { section: 'chats', groupId: '7' }],
])('%s is a place', (path, place) => {
  expect(readChatPlace(path)).toEqual(place)
})

test.each([
  '/chat/nobody',
  '/chat/nobody/media',
  `/chat/${ben}/more`,
  `/chat/${ben}/media/1`,
  `/chat/${ben}/encryption/1`,
  '/chat/group',
  '/chat/group/7/8',
])('%s is no place', (path) => {
  expect(readChatPlace(path)).toBeUndefined()
})

test('each place has its title', () => {
  const title = (path: string) => {
    const place = readChatPlace(path)
    return place && nameChatPage(place, { name: 'Ben', isGroup: false })
  }
  expect(title('/chat')).toBeUndefined()
  expect(title('/chat/archived')).toBe('Archived Chats')
  expect(title('/chat/starred')).toBe('Starred Messages')
  expect(title('/chat/search')).toBe('Search')
  expect(title('/chat/status')).toBe('Status')
  expect(title('/chat/calls')).toBe('Calls')
  expect(title(`/chat/${ben}`)).toBe('Ben')
  expect(title(`/chat/${ben}/encryption`)).toBe('Encryption: Ben')
  expect(title(`/chat/${ben}/links`)).toBe('Media, files and links: Ben')
  expect(title(`/chat/${ben}/info`)).toBe('Contact info: Ben')
  const info = { section: 'chats', peerId: ben, hasInfo: true } as const
  expect(nameChatPage(info, { name: 'Walks', isGroup: true })).toBe('Group info: Walks')
})
