import { Link } from 'react-router-dom'
import type { OwnUser } from '../../schema/user.ts'
import { Icon } from '../ui/icons/icon.tsx'
import styles from './settings.module.css'

export interface AccountSectionProps {
  user: OwnUser
  onLogout(): void
}

export function AccountSection({ user, onLogout }: AccountSectionProps) {
  return (
    <ul className={styles.list}>
      <li>
        <Link className={styles.link} to="/profile">
          <Icon name="person" />
          <span className={styles.words}>
            <span>{user.username}</span>
            <small>{user.email}</small>
          </span>
          <Icon name="right" size={18} />
        </Link>
      </li>
      <li>
        <button type="button" className={styles.link} onClick={onLogout}>
          <Icon name="logout" />
          <span className={styles.words}>
            <span>Log out</span>
            <small>Removes your chats from this device</small>
          </span>
        </button>
      </li>
    </ul>
  )
}
