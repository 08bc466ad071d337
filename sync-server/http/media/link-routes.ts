import { limits } from '../../../schema/limits.ts'
import { askedLink, fetchedLink } from '../../../schema/link-preview.ts'
import type { LimitAttempts } from '../../access/attempt-limiter.ts'
import type { Budget } from '../../budget/budget.ts'
import type { LinkPreviews } from '../../links/link-previews.ts'
import { refuseTooEarly } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'

/** What the page behind an address says of itself, for the device whose person writes that address. */
export function createLinkRoutes(options: {
  linkPreviews: LinkPreviews
  links: Budget['links']
  limitAttempts: LimitAttempts
}): Route[] {
  const { linkPreviews, links, limitAttempts } = options
  const asked = limitAttempts('link previews', limits.linkPreviewsPerPerson)
  return [
    defineRoute({
      method: 'post',
      path: '/links/preview',
      access: 'signed-in',
      summary:
        'Fetches a public web page and says its title, description and picture, for a message with its address. Nothing is kept.',
      body: askedLink,
      status: 200,
      answer: fetchedLink,
      errors: ['too_many_requests'],
      async handle({ caller: { userId }, body: { url }, signal }) {
        refuseTooEarly(asked.secondsToWait(userId), 'too_many_requests')
        asked.count(userId)
        const page = await links.run({ key: userId, signal }, (turn) =>
          turn(() => linkPreviews.read(url, signal)),
        )
        return { page }
      },
    }),
  ]
}
