import * as z from 'zod/mini'

/**
 * The used part of the hourly quota, in percent, and the minutes until it resets once exhausted.
 */
export interface Usage {
  percent: number
  regainMinutes: number
}

const figures = z.object({
  call_count: z.optional(z.number()),
  total_cputime: z.optional(z.number()),
  total_time: z.optional(z.number()),
  estimated_time_to_regain_access: z.optional(z.number()),
})
const ofAccounts = z.record(z.string(), z.array(figures))

/** Reads the quota from Graph's headers. Source: its page "Rate Limits". */
export function readUsage(headers: Headers): Usage | null {
  const own = figures.safeParse(parse(headers.get('x-app-usage')))
  const accounts = ofAccounts.safeParse(parse(headers.get('x-business-use-case-usage')))
  const all = [
    ...(own.success ? [own.data] : []),
    ...(accounts.success ? Object.values(accounts.data).flat() : []),
  ]
  if (all.length === 0) return null
  const percents = all.flatMap(({ call_count = 0, total_cputime = 0, total_time = 0 }) => [
    call_count,
    total_cputime,
    total_time,
  ])
  const waits = all.map(
    ({ estimated_time_to_regain_access = 0 }) => estimated_time_to_regain_access,
  )
  return { percent: Math.max(...percents), regainMinutes: Math.max(...waits) }
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
