import type { PublicUser } from '../../../schema/user.ts'
import type { KnownGroup } from '../storage/known-peer.ts'
import { ben } from './open-test-database.ts'

/** For tests: Ben as others see him, or somebody like him. */
export function testUser(fields: Partial<PublicUser> = {}): PublicUser {
  return {
    _id: ben,
    username: 'Ben',
    status: '',
    profilePicture: null,
    isOnline: false,
    lastSeen: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    whatsapp_connected: false,
    ...fields,
  }
}

/** For tests: a group of Ben's, or one like it. */
export function testGroup(fields: Partial<KnownGroup> = {}): KnownGroup {
  return {
    isGroup: true,
    _id: ben,
    name: 'Walks',
    description: '',
    picture: null,
    members: [],
    settings: { whoWrites: 'all', whoChanges: 'all', showsHistory: false },
    createdBy: ben,
    lastPlace: 0,
    ...fields,
  }
}
