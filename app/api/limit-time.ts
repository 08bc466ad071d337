import { limits } from '../../schema/limits.ts'
import { ApiError } from './api-error.ts'

/**
 * The answer, if it comes within the given ms (10 s when absent).
 * @throws ApiError 408 'Request timeout' otherwise; ignores the work's later result
 */
export async function limitTime<Answer>(
  work: Promise<Answer>,
  ms: number = limits.retryHelper.timeoutMs,
): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new ApiError({ status: 408, code: 'timeout', words: 'Request timeout' }))
    }, ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
