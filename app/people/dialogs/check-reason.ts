import { limits } from '../../../schema/limits.ts'

const { reportReasonMinLength: min, reportReasonMaxLength: max } = limits

/** What is wrong with a report's reason, in words. Source: decision 61, section 5. */
export function checkReason(reason: string): string | undefined {
  const { length } = reason.trim()
  if (length < min) return `Reason must be at least ${min} characters long`
  if (length > max) return `Reason must be at most ${max} characters long`
  return undefined
}
