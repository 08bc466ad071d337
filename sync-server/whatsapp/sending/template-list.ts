import * as z from 'zod/mini'
import type { GraphClient } from '../client/graph-client.ts'
import type { Fetched } from '../client/number-information.ts'

const component = z.looseObject({
  type: z.string(),
  format: z.optional(z.string()),
  text: z.optional(z.string()),
})

const template = z.looseObject({
  id: z.string(),
  name: z.string(),
  language: z.string(),
  status: z.string(),
  category: z.string(),
  parameter_format: z.optional(z.string()),
  components: z.catch(z.array(component), []),
})
export type Template = z.infer<typeof template>

const page = z.looseObject({
  data: z.array(z.unknown()),
  paging: z.optional(
    z.looseObject({
      cursors: z.optional(z.looseObject({ after: z.optional(z.string()) })),
      next: z.optional(z.string()),
    }),
  ),
})

const pageLength = 100
/** An account may have at most 6,000 templates. */
const pagesMax = 100
const fields = 'name,language,status,category,components,parameter_format'

/**
 * Reads all of an account's templates, page by page. Skips unreadable ones.
 * @param amount.pages how many at most: each is a call, and Meta counts them by the hour
 */
export async function fetchTemplates(
  client: GraphClient,
  businessAccountId: string,
  { limit = pageLength, pages = pagesMax }: { limit?: number; pages?: number } = {},
): Promise<Fetched<Template[]>> {
  const found: Template[] = []
  const place: { after?: string } = {}
  for (let count = 0; count < pages; count += 1) {
    const answer = await client.call({
      method: 'GET',
      path: `${encodeURIComponent(businessAccountId)}/message_templates`,
      // Does not follow the next page's address: no answer may decide where the token goes.
      query: { fields, limit: String(limit), ...place },
    })
    if (answer.kind === 'refused') return answer
    if (answer.kind === 'unknown') return { kind: 'unanswered', why: answer.why }
    const read = page.safeParse(answer.body)
    if (!read.success) return { kind: 'unanswered', why: 'the answer was no list of templates' }
    for (const given of read.data.data) {
      const one = template.safeParse(given)
      if (one.success) found.push({ ...one.data, language: toUnderscore(one.data.language) })
    }
    const after = read.data.paging?.cursors?.after
    if (!read.data.paging?.next || !after || after === place.after) break
    place.after = after
  }
  return { kind: 'found', value: found }
}

/** `en-US` and `en_US` are the same; sends only accept the second. */
export function toUnderscore(language: string): string {
  return language.replace('-', '_')
}
