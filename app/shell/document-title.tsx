import { formatBadge } from '../ui/format-badge.ts'
import { productName, titlePage } from '../ui/product.ts'
import { useLivePart } from '../ui/use-live-value.ts'
import { useMessenger } from './messenger-context.tsx'
import { countUnreadMessages } from './notifications/count-unread-messages.ts'

/** The document's title of a signed-in page, with what is unread before it: `(3) Ben | Petrel`. */
export function DocumentTitle({ page }: { page: string | undefined }) {
  const unread = useLivePart(useMessenger().conversations, countUnreadMessages)
  const name = page === undefined ? productName : titlePage(page)
  return <title>{unread > 0 ? `(${formatBadge(unread)}) ${name}` : name}</title>
}
