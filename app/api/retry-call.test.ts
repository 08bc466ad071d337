import { expect, test } from 'vitest'
import { limits } from '../../schema/limits.ts'
import { ApiError } from './api-error.ts'
import { describeFailure, limitTime, retryCall } from './retry-call.ts'

const failed = (status: number, code = 'told') => new ApiError({ status, code, words: 'Told so.' })

async function retry(causes: readonly unknown[]) {
  const [waited, left] = [[] as number[], [...causes]]
  const call = async () => {
    const cause = left.shift()
    if (cause) throw cause
    return 'done'
  }
  const wait = async (ms: number) => void waited.push(ms)
  const end = await retryCall(call, { ...limits.retryHelper, wait }).catch(String)
  return { end, waited }
}

test('what fails is tried three times more, each time after twice as long', async () => {
  const all = await retry(Array.from({ length: 9 }, () => failed(500)))
  expect(all).toEqual({ end: 'ApiError: Told so.', waited: [1_000, 2_000, 4_000] })
  expect(await retry([failed(0), new Error('broken')])).toEqual({
    end: 'done',
    waited: [1_000, 2_000],
  })
})

test.each([401, 403, 404])('%i is not tried again', async (status) => {
  expect(await retry([failed(status)])).toEqual({ end: 'ApiError: Told so.', waited: [] })
})

test('input that was never sent is not retried', async () => {
  expect((await retry([failed(0, 'input')])).waited).toEqual([])
})

test.each([
  [400, 'Bad Request: Told so.'],
  [401, 'Unauthorized: Told so.'],
  [403, 'Forbidden: Told so.'],
  [404, 'Not Found: Told so.'],
  [429, 'Too Many Requests: Told so.'],
  [500, 'Internal Server Error: Told so.'],
  [502, 'Bad Gateway: Server is temporarily unavailable'],
  [503, 'Service Unavailable: Server is temporarily unavailable'],
  [418, 'Told so.'],
])('%i in words', (status, words) => {
  expect(describeFailure(failed(status))).toEqual({ words, status })
})

test('what is no answer of the server has words too', () => {
  const network = 'Network error: Unable to connect to server'
  expect(describeFailure(new ApiError({ status: 0, code: 'network', words: network }))).toEqual({
    words: network,
    status: 0,
  })
  expect(describeFailure(new TypeError('x is undefined')).words).toBe(
    'An unexpected error occurred',
  )
})

test('work that takes too long is a timeout; what ends in time is itself', async () => {
  const late = limitTime(new Promise(() => {}), 1)
  await expect(late).rejects.toMatchObject({ status: 408, message: 'Request timeout' })
  expect(await limitTime(Promise.resolve('done'))).toBe('done')
})
