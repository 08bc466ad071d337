import { ApiError } from './api-error.ts'

/** @throws ApiError `input` with these words, before sending, when required input is missing */
export function requireInput(isGiven: unknown, words: string): asserts isGiven {
  if (!isGiven) throw new ApiError({ status: 0, code: 'input', words })
}
