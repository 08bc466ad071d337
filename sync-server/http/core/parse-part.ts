import type * as z from 'zod/mini'
import { RequestRefused } from './request-refused.ts'

/**
 * Parses one part of a request.
 * @throws RequestRefused `invalid_input` with the words or details of the first issue
 */
export function parsePart(schema: z.ZodMiniType | undefined, value: unknown): unknown {
  if (!schema) return undefined
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  // Schemas have their own words for what a person can fix; zod/mini only says "Invalid input".
  if (issue && issue.message !== 'Invalid input') {
    throw new RequestRefused('invalid_input', { words: issue.message })
  }
  throw new RequestRefused('invalid_input', { details: describe(issue) })
}

function describe(issue: z.core.$ZodIssue | undefined): string | undefined {
  if (!issue) return undefined
  const where = issue.path.map(String).join('.') || 'This request'
  return issue.code === 'invalid_type'
    ? `${where} must be ${issue.expected}`
    : `${where} is not valid`
}
