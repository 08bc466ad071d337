import { useState } from 'react'
import { Link, NavLink } from 'react-router-dom'
import { formatBadge } from '../../ui/format/format-amounts.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { LazyActionMenu } from '../../ui/menus/lazy-action-menu.tsx'
import type { MenuAction, MenuPoint } from '../../ui/menus/menu-action.ts'
import { Avatar } from '../../ui/people/avatar.tsx'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import styles from './rail.module.css'
import type { ChatSection } from './read-chat-place.ts'
import { useOwnFace } from './use-own-profile.ts'
import { useProfilePanel } from './use-profile-panel.ts'

export type RailSection = ChatSection | 'profile' | 'outbox'

interface RailProps {
  section: RailSection
  unreadChats: number
  actions: readonly MenuAction[]
}

/** The narrow bar at the left of a wide screen. */
export function Rail(props: RailProps) {
  const { section, unreadChats, actions } = props
  const [menuPoint, setMenuPoint] = useState<MenuPoint>()
  const face = useOwnFace()
  const panel = useProfilePanel()
  const isChats = !['status', 'calls', 'settings', 'profile'].includes(section)
  return (
    <nav className={styles.rail} aria-label="Main">
      <ChatsLink unreadChats={unreadChats} isCurrent={isChats} />
      <NavLink
        className={styles.item}
        to="/chat/status"
        data-tooltip-side="right"
        data-tooltip="Status"
        aria-label="Status"
      >
        <Icon name="status" size={24} />
      </NavLink>
      <button
        type="button"
        className={styles.item}
        data-tooltip-side="right"
        data-tooltip="Menu"
        aria-label="Menu"
        aria-haspopup="menu"
        aria-expanded={menuPoint !== undefined}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect()
          setMenuPoint({ x: box.right + 4, y: box.top })
        }}
      >
        <Icon name="menu" size={24} />
      </button>
      <Link
        className={styles.item}
        to="/chat/settings"
        aria-current={section === 'settings' ? 'page' : undefined}
        data-tooltip-side="right"
        data-tooltip="Settings"
        aria-label="Settings"
      >
        <Icon name="settings" size={24} />
      </Link>
      <Link
        className={joinClassNames(styles.item, styles.last)}
        to={panel.path}
        state={panel.state}
        replace={panel.isOpen}
        aria-current={section === 'profile' || panel.isOpen ? 'page' : undefined}
        data-tooltip-side="right"
        data-tooltip="Profile"
        aria-label="Profile"
      >
        <Avatar name={face.user?.username ?? ''} picture={face.picture} size={2} />
      </Link>
      {menuPoint && (
        <LazyActionMenu
          label="Menu"
          point={menuPoint}
          actions={actions}
          onClose={() => setMenuPoint(undefined)}
        />
      )}
    </nav>
  )
}

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
      data-tooltip-side="right"
      data-tooltip="Chats"
      aria-label={unreadChats > 0 ? `Chats, ${unreadChats} unread` : 'Chats'}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <Icon name="chats" size={24} />
      {unreadChats > 0 && <span className={styles.count}>{formatBadge(unreadChats)}</span>}
    </Link>
  )
}
