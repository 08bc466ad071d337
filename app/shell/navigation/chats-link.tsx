import { Link } from 'react-router-dom'
import { formatBadge } from '../../ui/format/format-badge.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import styles from './rail.module.css'

interface ChatsLinkProps {
  unreadChats: number
  isCurrent: boolean
}

/** The rail's link to the chats, with the number of chats that have unread messages. */
export function ChatsLink({ unreadChats, isCurrent }: ChatsLinkProps) {
  return (
    <Link
      className={styles.item}
      to="/chat"
      data-tooltip="Chats"
      aria-label={unreadChats > 0 ? `Chats, ${unreadChats} unread` : 'Chats'}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <Icon name="chats" size={24} />
      {unreadChats > 0 && <span className={styles.count}>{formatBadge(unreadChats)}</span>}
    </Link>
  )
}
