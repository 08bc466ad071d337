import {
  forgottenPasswordNoted,
  type KeptSeeds,
  keptSeeds,
  type Login,
  type NewKeys,
  type PasswordReset,
  type PasswordWasReset,
  passwordWasReset,
  type Registration,
  type ServerDescription,
  type SignedIn,
  serverDescription,
  signedIn,
} from '../../schema/api/auth.ts'
import { signedOut } from '../../schema/api/done-answers.ts'
import {
  type PasswordDerivation,
  passwordDerivation,
} from '../../schema/encryption/password-derivation.ts'
import { type OwnUser, ownUser } from '../../schema/user.ts'
import type { Caller } from './caller.ts'

/** Signing in and out. None of these stores the session: the caller decides. */
export function createAuthCalls(options: { call: Caller; callSignedIn: Caller }) {
  const { call, callSignedIn } = options
  return {
    /** How the password of this name becomes secrets; every name has an answer. */
    askDerivation: (username: string): Promise<PasswordDerivation> =>
      call({
        method: 'POST',
        path: '/auth/password-derivation',
        body: { username },
        answer: passwordDerivation,
        fallback: 'Login failed',
      }),
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
    /** Keys of a sign-in that is not stored yet. */
    setKeys: (given: NewKeys, token: string): Promise<OwnUser> =>
      call({
        method: 'PUT',
        path: '/users/me/keys',
        body: given,
        answer: ownUser,
        token,
        fallback: 'Failed to store your keys',
      }),
    readSeeds: (token: string): Promise<KeptSeeds> =>
      call({
        path: '/users/me/keys',
        answer: keptSeeds,
        token,
        fallback: 'Failed to fetch your keys',
      }),
    /** How the new password of a link becomes secrets. */
    askResetDerivation: (token: string): Promise<PasswordDerivation> =>
      call({
        method: 'POST',
        path: '/auth/reset-password/derivation',
        body: { token },
        answer: passwordDerivation,
        fallback: "Couldn't change the password",
      }),
    /** A new password, by the token of a link. */
    resetPassword: (given: PasswordReset): Promise<PasswordWasReset> =>
      call({
        method: 'POST',
        path: '/auth/reset-password',
        body: given,
        answer: passwordWasReset,
        fallback: "Couldn't change the password",
      }),
    /** Asks for a link by mail. The answer is the same whether an account has the address or not. */
    forgotPassword: (email: string): Promise<{ isNoted: true }> =>
      call({
        method: 'POST',
        path: '/auth/forgotten-password',
        body: { email },
        answer: forgottenPasswordNoted,
        fallback: "Couldn't send the link",
      }),
    /** What the server says of itself. */
    describeServer: (): Promise<ServerDescription> =>
      call({ path: '/server', answer: serverDescription, fallback: "Couldn't reach the server" }),
    /** Ends a sign-in that is not stored here. */
    async endSignIn({ token, userId }: { token: string; userId: string }): Promise<void> {
      await call({
        method: 'POST',
        path: '/auth/logout',
        body: { userId },
        answer: signedOut,
        token,
        fallback: 'Logout failed',
      })
    },
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
