import { ApiError } from './api-error.ts'

const prefixes: Partial<Record<number, string>> = {
  400: 'Bad Request: ',
  401: 'Unauthorized: ',
  403: 'Forbidden: ',
  404: 'Not Found: ',
  429: 'Too Many Requests: ',
  500: 'Internal Server Error: ',
}

const wholeTexts: Partial<Record<number, string>> = {
  502: 'Bad Gateway: Server is temporarily unavailable',
  503: 'Service Unavailable: Server is temporarily unavailable',
}

/**
 * Any failure in words for a person who wants to know its kind, and its status.
 * Source: decision 61, section 8.
 */
export function describeFailure(cause: unknown): { words: string; status: number } {
  if (!(cause instanceof ApiError)) return { words: 'An unexpected error occurred', status: 0 }
  const { status, message } = cause
  return { words: wholeTexts[status] ?? `${prefixes[status] ?? ''}${message}`, status }
}
