import type * as z from 'zod/mini'
import { RequestRefused } from './request-refused.ts'

/**
 * Parses one part of a request.
 * @throws RequestRefused `invalid_input` with the words of the first thing that is wrong
 */
export function parsePart(schema: z.ZodMiniType | undefined, value: unknown): unknown {
  if (!schema) return undefined
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new RequestRefused('invalid_input', { words: describe(parsed.error.issues[0]) })
}

/** Schemas say what a person can mend in their own words; zod/mini itself only ever says "Invalid input". */
function describe(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return 'Invalid input'
  if (issue.message !== 'Invalid input') return issue.message
  const where = issue.path.map(String).join('.') || 'This request'
  return issue.code === 'invalid_type'
    ? `${where} must be ${issue.expected}`
    : `${where} is not valid`
}
