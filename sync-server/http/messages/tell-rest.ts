import type { Request, Response } from 'express'
import type { Page } from './page.ts'

/**
 * Says where the rest of a page is that ended before its `limit` (RFC 8288): before the oldest message that it has.
 * Whoever asks for `before` that message each time comes to the end anyway; it is an empty page.
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
