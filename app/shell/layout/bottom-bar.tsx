import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router-dom'
import { formatBadge } from '../../ui/format/format-amounts.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import type { IconName } from '../../ui/icons/icon-paths.ts'
import styles from './bottom-bar.module.css'

const NewChat = lazy(() =>
  import('../open-chat/new-chat.tsx').then((module) => ({ default: module.NewChat })),
)

interface BottomBarProps {
  current: 'chats' | 'starred' | 'settings' | undefined
  unreadChats: number
}

/** A phone's three places and a new chat, at the thumb. The drawer leads to the places, too. */
export function BottomBar({ current, unreadChats }: BottomBarProps) {
  const [isChoosing, setIsChoosing] = useState(false)
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
      <span className={styles.label}>{place.label}</span>
    </Link>
  )
  return (
    <>
      <nav className={styles.bar} aria-label="Places">
        {item('chats', {
          to: '/chat',
          label: 'Chats',
          spoken: unreadChats > 0 ? `Chats, ${unreadChats} unread` : 'Chats',
          icon: 'chats',
        })}
        {item('starred', { to: '/chat/starred', label: 'Starred', icon: 'star' })}
        {item('settings', { to: '/settings', label: 'Settings', icon: 'settings' })}
        <button
          type="button"
          className={styles.newChat}
          aria-label="New chat"
          aria-haspopup="dialog"
          onClick={() => setIsChoosing(true)}
        >
          <Icon name="newChat" size={26} />
        </button>
      </nav>
      {isChoosing && (
        <Suspense fallback={null}>
          <NewChat start="people" onClose={() => setIsChoosing(false)} />
        </Suspense>
      )}
    </>
  )
}

interface Place {
  to: string
  label: string
  /** The label with what the drawing says besides. */
  spoken?: string
  icon: IconName
}
