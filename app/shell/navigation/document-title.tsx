import { formatBadge } from '../../ui/format/format-badge.ts'
import { productName, titlePage } from '../../ui/product.ts'
import { countUnreadMessages } from '../notifications/count-unread-messages.ts'
import { useUnreadTotal } from './use-unread-total.ts'

interface DocumentTitleProps {
  page: string | undefined
  /** The person whose chat is open. */
  openPeerId?: string
}

/** The title of a signed-in page, with the unread count first: `(3) Ben | Petrel`. */
export function DocumentTitle({ page, openPeerId }: DocumentTitleProps) {
  const unread = useUnreadTotal(countUnreadMessages, openPeerId)
  const name = page === undefined ? productName : titlePage(page)
  return <title>{unread > 0 ? `(${formatBadge(unread)}) ${name}` : name}</title>
}
