import { ApiError } from './api-error.ts'

/** The answer, or the fallback when the server has none (404). */
export function orWhenMissing<Answer, Instead>(
  asked: Promise<Answer>,
  instead: Instead,
): Promise<Answer | Instead> {
  return asked.catch((cause: unknown) => {
    if (cause instanceof ApiError && cause.status === 404) return instead
    throw cause
  })
}
