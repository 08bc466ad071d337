import * as z from 'zod/mini'
import { limits } from '../../schema/limits.ts'
import { type PublicUser, publicUser } from '../../schema/user.ts'
import { requireInput } from './api-error.ts'
import { type Caller, orWhenMissing } from './caller.ts'

const people = z.array(publicUser)

/** What the first screen needs: people to talk with. */
export function createPeopleCalls(call: Caller) {
  return {
    /** Everyone the caller can write to without searching. */
    list: (): Promise<PublicUser[]> =>
      call({
        path: '/users',
        answer: people,
        fallback: 'Failed to fetch users',
        words: { 401: 'Unauthorized - Please login again', 403: 'Access forbidden' },
      }),

    async get(userId: string): Promise<PublicUser> {
      requireInput(userId, 'User ID is required')
      return await call({
        path: `/users/${encodeURIComponent(userId)}`,
        answer: publicUser,
        fallback: 'Failed to fetch user',
        words: { 404: 'User not found' },
      })
    },

    /** Below two characters it asks nothing; no match gives an empty list. */
    async search(query: string): Promise<PublicUser[]> {
      const text = query.trim()
      if (text.length < limits.userSearchMinLength) return []
      const path = `/users/search/${encodeURIComponent(text)}`
      const found = call({ path, answer: people, fallback: 'Failed to search users' })
      return await orWhenMissing(found, [])
    },
  }
}
