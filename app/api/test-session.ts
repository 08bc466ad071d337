import type { SignedIn } from '../../schema/api/auth.ts'

/** For tests: Ann's sign-in. */
export const testSession: SignedIn = {
  token: 'a.b.c',
  user: {
    _id: '01900000-0000-7000-8000-00000000000a',
    username: 'Ann',
    email: 'ann@example.org',
    status: '',
    profilePicture: null,
    isOnline: true,
    lastSeen: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    whatsapp_connected: false,
    settings: {},
  },
}
