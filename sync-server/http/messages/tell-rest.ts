import type { Request, Response } from 'express'
import type { Page } from './page.ts'

/**
 * Links to the rest of a page that ended before its `limit` (RFC 8288): before its oldest message.
 * A caller who follows `before` each time also reaches the end, which is an empty page.
 */
export function tellRest(
  { messages, isCut }: Page,
  { request, response }: { request: Request; response: Response },
): void {
  const oldest = messages.reduce<Page['messages'][number] | undefined>(
    (found, message) => (found && found.orderedAt <= message.orderedAt ? found : message),
    undefined,
  )
  if (!isCut || !oldest) return
  const url = new URL(request.originalUrl, 'http://petrel')
  url.searchParams.set('before', oldest._id)
  response.set('link', `<${url.pathname}${url.search}>; rel="next"`)
}
