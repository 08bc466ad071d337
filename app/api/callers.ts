import { ApiError } from './api-error.ts'
import { type Caller, type CallerOptions, createCaller } from './caller.ts'
import type { SessionStore } from './session-store.ts'

export type ApiOptions = Omit<CallerOptions, 'onUnauthorized'> & { sessions: SessionStore }

/**
 * `call` for anyone, and `callSignedIn` with the current sign-in's token. A 401 removes the
 * sign-in, nothing else.
 */
export function createCallers(options: ApiOptions): { call: Caller; callSignedIn: Caller } {
  const { sessions, ...rest } = options
  const call = createCaller({
    ...rest,
    async onUnauthorized(token) {
      if (sessions.get()?.token === token) await sessions.expire()
    },
  })
  return {
    call,
    async callSignedIn(request) {
      const token = sessions.get()?.token
      if (token) return await call({ ...request, token })
      const words = 'Authentication required'
      throw new ApiError({ status: 401, code: 'authentication_required', words })
    },
  }
}
