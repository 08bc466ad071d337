import { expect, test } from 'vitest'
import { ApiError } from '../../api/api-error.ts'
import { judgeFailure } from './judge-failure.ts'

test.each([
  [400, 'invalid', 'refused'],
  [409, 'username_taken', 'refused'],
  [507, 'storage_full', 'refused'],
  [0, 'input', 'refused'],
  [401, 'session_ended', 'signed-out'],
  [401, 'authentication_required', 'signed-out'],
  [401, 'unknown', 'again'],
  [408, 'timeout', 'again'],
  [426, 'app_outdated', 'again'],
  [429, 'too_many_requests', 'again'],
  [500, 'internal_error', 'again'],
  [503, 'storage_unavailable', 'again'],
  [403, 'unknown', 'again'],
  [0, 'network', 'again'],
] as const)('P6: an answer of %i with the code %s is judged %s', (status, code, judgement) => {
  expect(judgeFailure(new ApiError({ status, code, words: 'No.' }))).toBe(judgement)
})

test('P6: what is no answer at all is tried again', () => {
  expect(judgeFailure(new Error('The disk is full.'))).toBe('again')
})
