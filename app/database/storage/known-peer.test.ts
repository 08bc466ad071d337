import { expect, test } from 'vitest'
import { testGroup, testUser } from '../testing/test-user.ts'
import { nameOf, pictureOf } from './known-peer.ts'

const ben = testUser({ profilePicture: '/api/ben.png' })
const group = testGroup({ _id: ben._id, picture: '/api/walks.png' })

test('whoever a conversation is with has a name and a picture', () => {
  expect(nameOf(ben)).toBe('Ben')
  expect(pictureOf(ben)).toBe('/api/ben.png')
  expect(nameOf(group)).toBe('Walks')
  expect(pictureOf(group)).toBe('/api/walks.png')
  expect(pictureOf({ ...group, picture: null })).toBeUndefined()
})

test("a group without a name is 'Group Chat', and one who is not known yet 'Unknown'", () => {
  expect(nameOf({ ...group, name: '' })).toBe('Group Chat')
  expect(nameOf(undefined)).toBe('Unknown')
  expect(pictureOf(undefined)).toBeUndefined()
})
