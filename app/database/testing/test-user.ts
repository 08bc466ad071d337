import type { PublicUser } from '../../../schema/user.ts'
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
