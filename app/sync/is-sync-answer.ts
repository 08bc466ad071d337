import * as z from 'zod/mini'
import type { SyncRequest } from './describe-sync-request.ts'

const changes = z.object({
  results: z.array(z.object({ id: z.string(), doc: z.object({ _id: z.string() }) })),
  last_seq: z.union([z.string(), z.number()]),
})
const rows = z.array(z.object({ id: z.string() }))

/** Is this what a sync server says to that? Others answer 200 as well: a sign-in page, a proxy, another service. */
export function isSyncAnswer(
  request: Pick<SyncRequest, 'isPull' | 'isPush'>,
  body: unknown,
): boolean {
  if (request.isPull) return changes.safeParse(body).success
  return request.isPush ? rows.safeParse(body).success : true
}
