import * as z from 'zod/mini'
import { personReported } from '../../schema/api/done-answers.ts'
import { blockAnswer } from '../../schema/api/user-relations.ts'
import { limits } from '../../schema/limits.ts'
import { type PublicUser, publicUser } from '../../schema/user.ts'
import type { Caller, CallOptions } from './caller.ts'
import { orWhenMissing } from './or-when-missing.ts'
import { createPeopleCalls } from './people-calls.ts'
import { requireInput } from './require-input.ts'
import { type Retry, retryCall } from './retry-call.ts'

const people = z.array(publicUser)
const activity = z.pick(publicUser, { isOnline: true, lastSeen: true })

/** Finding and blocking other people. */
export function createUserCalls(options: { call: Caller; wait?: Retry['wait'] }) {
  const { call, wait } = options
  const first = createPeopleCalls(call)
  return {
    ...first,

    /** Like `get`, with two retries, after 2 s and 4 s. */
    getWithRetry: (userId: string): Promise<PublicUser> =>
      retryCall(() => first.get(userId), { ...limits.userLookup, wait }),

    /** The person with a full phone number, in any formatting; undefined if there is none. */
    async findByPhone(phone: string): Promise<PublicUser | undefined> {
      const digits = phone.replace(/\D/g, '')
      const { phoneLookupMinDigits: min } = limits
      requireInput(digits.length >= min, `Phone number must be at least ${min} digits`)
      const found = call({
        path: `/users/phone/${digits}`,
        answer: publicUser,
        fallback: 'Failed to find user by phone number',
      })
      return await orWhenMissing(found, undefined)
    },

    /** People by part of their number; below three digits it asks nothing. */
    async searchByPhone(phone: string): Promise<PublicUser[]> {
      const digits = phone.replace(/\D/g, '')
      if (digits.length < limits.phoneSearchMinDigits) return []
      const path = `/users/search/phone/${digits}`
      const found = call({ path, answer: people, fallback: 'Failed to search users' })
      return await orWhenMissing(found, [])
    },

    /** A person unknown to the server is offline and was never seen. */
    async getActivity(userId: string): Promise<z.infer<typeof activity>> {
      requireInput(userId, 'User ID is required')
      const asked = call({
        path: `/users/${encodeURIComponent(userId)}/activity`,
        answer: activity,
        fallback: 'Failed to fetch user activity',
      })
      return await orWhenMissing(asked, { isOnline: false, lastSeen: null })
    },

    async setBlocked(
      change: { userId: string; blocked: boolean },
      options?: CallOptions,
    ): Promise<void> {
      const { userId, blocked } = change
      requireInput(userId, 'User ID is required')
      await call({
        ...options,
        method: 'PUT',
        path: `/users/${encodeURIComponent(userId)}/block`,
        body: { blocked },
        answer: blockAnswer,
        fallback: 'Failed to block user',
      })
    },

    listBlocked: (): Promise<PublicUser[]> =>
      call({ path: '/users/blocked', answer: people, fallback: 'Failed to fetch blocked users' }),

    async report(given: { userId: string; reason: string }, options?: CallOptions): Promise<void> {
      const { userId } = given
      const reason = given.reason.trim()
      const { reportReasonMinLength: min } = limits
      requireInput(userId, 'User ID is required')
      requireInput(reason.length >= min, `Reason must be at least ${min} characters long`)
      await call({
        ...options,
        method: 'POST',
        path: `/users/${encodeURIComponent(userId)}/report`,
        body: { reason },
        answer: personReported,
        fallback: 'Failed to report user',
      })
    },
  }
}
