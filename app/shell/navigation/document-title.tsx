import { formatBadge } from '../../ui/format/format-badge.ts'
import { productName, titlePage } from '../../ui/product.ts'
import { countUnreadMessages } from '../notifications/count-unread-messages.ts'
import { useUnreadTotal } from './use-unread-total.ts'

interface DocumentTitleProps {
  page: string | undefined
  /** Whose chat is open. */
  openPeerId?: string
}

/** The document's title of a signed-in page, with what is unread before it: `(3) Ben | Petrel`. */
export function DocumentTitle({ page, openPeerId }: DocumentTitleProps) {
  const unread = useUnreadTotal(countUnreadMessages, openPeerId)
  const name = page === undefined ? productName : titlePage(page)
  return <title>{unread > 0 ? `(${formatBadge(unread)}) ${name}` : name}</title>
}
