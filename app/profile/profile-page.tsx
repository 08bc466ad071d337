import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { Button } from '../ui/buttons/button.tsx'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { formatDate } from '../ui/format/format-clock-time.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { Page } from '../ui/layout/page.tsx'
import { DangerZone } from './danger-zone.tsx'
import { describeOwnPresence } from './describe-own-presence.ts'
import type { OwnProfile } from './own-profile.ts'
import { ProfileBody } from './profile-body.tsx'
import { Fact } from './profile-facts.tsx'
import styles from './profile-page.module.css'
import { useEditing } from './use-editing.ts'

export interface ProfilePageProps {
  profile: OwnProfile
  isOnline: boolean
  /** When this device last reached the server, epoch ms. */
  lastSyncedAt: number | undefined
  /** Reads the record from the server. Rejects with words for a person. */
  onRefresh(): Promise<void>
  /** Is there no network? Then a failed reload stays silent. */
  isOffline(): boolean
  /** Shown after the record: whether the business channel is linked. */
  channel?: ReactNode
  onBack(): void
  isLoggingOut: boolean
  onLogout(): void
  onDeleteAccount(): Promise<void>
}

/** Shows and edits the signed-in person's record. Source: decision 61, section 2. */
export function ProfilePage(props: ProfilePageProps) {
  const { profile, isOnline, lastSyncedAt } = props
  const { user } = profile
  const lastSeen = describeOwnPresence({ user, isOnline, lastSyncedAt, now: Date.now() })
  const { isEditing, editButton, edit, stop } = useEditing()
  const refresh = useRefresh({ read: props.onRefresh, isOffline: props.isOffline })
  // Only a record that another version of the app stored unreadably has no name.
  const isUnknown = user.username === ''
  return (
    <Page
      title="Profile"
      backLabel="Back to chats"
      onBack={props.onBack}
      end={
        !isEditing &&
        !isUnknown && (
          <IconButton ref={editButton} icon="edit" label="Edit profile" onClick={edit} />
        )
      }
    >
      {refresh.hasFailed && (
        <div className={styles.notice} role="alert">
          <p>Failed to load profile</p>
          <Button look="quiet" onClick={refresh.retry}>
            Try Again
          </Button>
        </div>
      )}
      {isUnknown ? (
        !refresh.hasFailed && <p role="status">Loading profile...</p>
      ) : (
        <ProfileBody profile={profile} place="page" isEditing={isEditing} onStop={stop}>
          <Fact name="Member since" value={formatDate(Date.parse(user.createdAt))} />
          {lastSeen !== undefined && <Fact name="Last seen" value={lastSeen} />}
        </ProfileBody>
      )}
      {props.channel}
      <DangerZone
        isLoggingOut={props.isLoggingOut}
        onLogout={props.onLogout}
        onDeleteAccount={props.onDeleteAccount}
      />
    </Page>
  )
}

/**
 * Loads when the page opens, and again on request. Offline the device's own record is enough.
 * @param options.isOffline called after a failed load
 */
function useRefresh(options: { read: () => Promise<void>; isOffline: () => boolean }) {
  const latest = useLatest(options)
  const [hasFailed, setHasFailed] = useState(false)
  const retry = useCallback(() => {
    setHasFailed(false)
    const { read, isOffline } = latest.current
    read().catch(() => setHasFailed(!isOffline()))
  }, [latest])
  useEffect(retry, [retry])
  return { hasFailed, retry }
}
