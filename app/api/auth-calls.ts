import { type Login, type Registration, type SignedIn, signedIn } from '../../schema/api/auth.ts'
import { signedOut } from '../../schema/api/done-answers.ts'
import type { Caller } from './caller.ts'

/** Signing in and out. None of these stores the session: the caller decides. */
export function createAuthCalls(options: { call: Caller; callSignedIn: Caller }) {
  const { call, callSignedIn } = options
  return {
    login: (given: Login): Promise<SignedIn> =>
      call({
        method: 'POST',
        path: '/auth/login',
        body: given,
        answer: signedIn,
        fallback: 'Login failed',
      }),
    register: (given: Registration): Promise<SignedIn> =>
      call({
        method: 'POST',
        path: '/auth/register',
        body: given,
        answer: signedIn,
        fallback: 'Registration failed',
      }),
    /** Ends the session on the server. */
    async logout(userId: string): Promise<void> {
      await callSignedIn({
        method: 'POST',
        path: '/auth/logout',
        body: { userId },
        answer: signedOut,
        fallback: 'Logout failed',
      })
    },
  }
}
