import * as z from 'zod/mini'
import type { GraphClient } from './graph-client.ts'
import type { ProviderError } from './provider-error.ts'

/** A business number as Meta describes it. Unknown future states stay text. */
export interface NumberInformation {
  id: string
  digits: string
  verifiedName: string | null
  qualityRating: string | null
  status: string | null
  /** Can it send? Unknown states count as yes. */
  isConnected: boolean
}

const fields = [
  'id',
  'display_phone_number',
  'verified_name',
  'quality_rating',
  'status',
  'code_verification_status',
  'name_status',
  'platform_type',
  'throughput',
]

const information = z.looseObject({
  id: z.string(),
  display_phone_number: z.string(),
  verified_name: z.catch(z.optional(z.string()), undefined),
  quality_rating: z.catch(z.optional(z.string()), undefined),
  status: z.catch(z.optional(z.string()), undefined),
})
const idleStates = ['PENDING', 'DELETED', 'MIGRATED', 'BANNED', 'RESTRICTED', 'UNLINKED']

/** The result of a request to Meta: found, refused, or unanswered. */
export type Fetched<Thing> =
  | { kind: 'found'; value: Thing }
  | { kind: 'refused'; error: ProviderError }
  | { kind: 'unanswered'; why: string }

export async function fetchNumberInformation(
  client: GraphClient,
  phoneNumberId: string,
): Promise<Fetched<NumberInformation>> {
  const answer = await client.call({
    method: 'GET',
    path: encodeURIComponent(phoneNumberId),
    query: { fields: fields.join(',') },
  })
  if (answer.kind === 'refused') return answer
  if (answer.kind === 'unknown') return { kind: 'unanswered', why: answer.why }
  const read = information.safeParse(answer.body)
  if (!read.success) return { kind: 'unanswered', why: 'the answer was not about a number' }
  const { id, display_phone_number, verified_name, quality_rating, status } = read.data
  return {
    kind: 'found',
    value: {
      // May contain blanks and brackets: only the digits identify the number.
      id,
      digits: display_phone_number.replaceAll(/\D/g, ''),
      verifiedName: verified_name ?? null,
      qualityRating: quality_rating ?? null,
      status: status ?? null,
      isConnected: !idleStates.includes(status ?? ''),
    },
  }
}
