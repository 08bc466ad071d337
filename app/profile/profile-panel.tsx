import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { Button } from '../ui/buttons/button.tsx'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { Icon } from '../ui/icons/icon.tsx'
import { Page } from '../ui/layout/page.tsx'
import { type OwnProfile, useEditing } from './own-profile.ts'
import { ProfileBody } from './profile-body.tsx'
import styles from './profile-page.module.css'

export interface ProfilePanelProps {
  profile: OwnProfile
  /** Shown after the record: whether the business channel is linked. */
  channel: ReactNode
  isLoggingOut: boolean
  onBack(): void
  onLogout(): void
}

/** One's own record in the place of the list. Source: decision 61, section 2. */
export function ProfilePanel(props: ProfilePanelProps) {
  const { profile, channel, isLoggingOut, onBack, onLogout } = props
  const { isEditing, editButton, edit, stop } = useEditing()
  return (
    <Page
      title="Profile"
      backLabel="Back to chats"
      onBack={onBack}
      end={
        !isEditing && (
          <IconButton ref={editButton} icon="edit" label="Edit profile" onClick={edit} />
        )
      }
    >
      <ProfileBody profile={profile} place="panel" isEditing={isEditing} onStop={stop} />
      {channel}
      <Link className={styles.more} to="/profile">
        Profile page
        <small>Member since, last seen, delete account</small>
        <Icon name="right" size={18} />
      </Link>
      <div className={styles.buttons}>
        <Button look="quiet" isBusy={isLoggingOut} onClick={onLogout}>
          {isLoggingOut ? 'Loading...' : 'Logout'}
        </Button>
      </div>
    </Page>
  )
}
