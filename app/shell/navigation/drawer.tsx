import { useEffect, useRef } from 'react'
import { Link } from 'react-router-dom'
import { Icon } from '../../ui/icons/icon.tsx'
import type { IconName } from '../../ui/icons/icon-paths.ts'
import { useBackLayer } from '../../ui/layers/use-back-layer.ts'
import type { MenuAction } from '../../ui/menus/menu-action.ts'
import { Avatar } from '../../ui/people/avatar.tsx'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import styles from './rail.module.css'
import type { ChatSection } from './read-chat-place.ts'
import { useProfilePanel } from './use-profile-panel.ts'

interface DrawerProps {
  section: ChatSection
  ownName: string
  ownPicture: string | undefined
  actions: readonly MenuAction[]
  onClose(): void
}

/**
 * The rail on a phone, with all of 'Menu' in sight: slides in from the left and traps the focus. Escape or a tap beside it
 * closes it.
 */
export function Drawer({ section, ownName, ownPicture, actions, onClose }: DrawerProps) {
  const dialog = useModalDialog()
  const panel = useProfilePanel()
  useBackLayer(true, onClose)
  const entry = (to: string, label: string, icon: IconName, isCurrent: boolean) => (
    <Link
      className={styles.entry}
      to={to}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onClose}
    >
      <Icon name={icon} />
      {label}
    </Link>
  )
  return (
    <dialog ref={dialog} className={styles.drawer} aria-label="Main" onClose={onClose}>
      <Link
        className={styles.person}
        to={panel.path}
        state={panel.state}
        replace={panel.isOpen}
        aria-label={`Profile: ${ownName}`}
        onClick={onClose}
      >
        <Avatar name={ownName} picture={ownPicture} />
        {ownName}
      </Link>
      {entry('/chat', 'Chats', 'chats', section === 'chats')}
      {entry('/chat/status', 'Status', 'status', section === 'status')}
      {entry('/settings', 'Settings', 'settings', false)}
      <section className={styles.section} aria-label="Menu">
        {actions.map((action) => (
          <button
            key={action.label}
            type="button"
            className={joinClassNames(styles.entry, action.startsSection && styles.section)}
            onClick={() => {
              onClose()
              action.onSelect()
            }}
          >
            <Icon name={action.icon} />
            {action.label}
          </button>
        ))}
      </section>
    </dialog>
  )
}

/** Opens the modal dialog and closes it on a click outside. */
function useModalDialog() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    if (!element) return
    element.showModal()
    const onClick = (event: MouseEvent) => event.target === element && element.close()
    element.addEventListener('click', onClick)
    return () => element.removeEventListener('click', onClick)
  }, [])
  return dialog
}
