import { Link } from 'react-router-dom'
import { formatBadge } from '../../ui/format/format-amounts.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import type { IconName } from '../../ui/icons/icon-paths.ts'
import styles from './bottom-bar.module.css'

interface BottomBarProps {
  current: 'chats' | 'starred' | 'settings' | undefined
  unreadChats: number
}

/** A phone's three places, at the thumb. The drawer leads to them, too. */
export function BottomBar({ current, unreadChats }: BottomBarProps) {
  const item = (name: 'chats' | 'starred' | 'settings', place: Place) => (
    <Link
      className={styles.item}
      to={place.to}
      aria-current={current === name ? 'page' : undefined}
      aria-label={place.spoken ?? place.label}
      replace={current === name}
    >
      <span className={styles.sign}>
        <Icon name={place.icon} size={24} />
        {name === 'chats' && unreadChats > 0 && (
          <span className={styles.count}>{formatBadge(unreadChats)}</span>
        )}
      </span>
      {place.label}
    </Link>
  )
  return (
    <nav className={styles.bar} aria-label="Places">
      {item('chats', {
        to: '/chat',
        label: 'Chats',
        spoken: unreadChats > 0 ? `Chats, ${unreadChats} unread` : 'Chats',
        icon: 'chats',
      })}
      {item('starred', { to: '/chat/starred', label: 'Starred', icon: 'star' })}
      {item('settings', { to: '/settings', label: 'Settings', icon: 'settings' })}
    </nav>
  )
}

interface Place {
  to: string
  label: string
  /** The label with what the drawing says besides. */
  spoken?: string
  icon: IconName
}
