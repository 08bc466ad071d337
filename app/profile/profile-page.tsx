import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import type { OwnUser } from '../../schema/user.ts'
import { Button } from '../ui/buttons/button.tsx'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { formatDate, formatLastSeen } from '../ui/format/format-times.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { Page } from '../ui/layout/page.tsx'
import { type OwnProfile, useEditing } from './own-profile.ts'
import { ProfileBody } from './profile-body.tsx'
import { Fact } from './profile-facts.tsx'
import styles from './profile-page.module.css'

const DeleteAccountDialog = lazy(() =>
  import('./delete-account-dialog.tsx').then((module) => ({
    default: module.DeleteAccountDialog,
  })),
)

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
  onDeleteAccount(deletion: { password: string }): Promise<void>
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
          {lastSeen !== undefined && (
            <Fact name={isOnline ? 'Presence' : 'Last seen'} value={lastSeen} />
          )}
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

/**
 * 'Online', or when one was last seen; undefined while that is unknown: whoever reads it was there
 * before.
 * @param options.lastSyncedAt when this device last reached the server; epoch ms, as `now`
 */
export function describeOwnPresence(options: {
  user: Pick<OwnUser, 'lastSeen'>
  isOnline: boolean
  lastSyncedAt: number | undefined
  now: number
}): string | undefined {
  const { user, isOnline, lastSyncedAt, now } = options
  if (isOnline) return 'Online'
  const times = [user.lastSeen ? Date.parse(user.lastSeen) : undefined, lastSyncedAt]
  const known = times.filter((time) => time !== undefined)
  return known.length > 0 ? formatLastSeen(Math.max(...known), now) : undefined
}

interface DangerZoneProps {
  isLoggingOut: boolean
  onLogout(): void
  /** Rejects with words for a person. */
  onDeleteAccount(deletion: { password: string }): Promise<void>
}

/** The actions that cannot be undone. */
function DangerZone({ isLoggingOut, onLogout, onDeleteAccount }: DangerZoneProps) {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <section className={styles.danger} aria-labelledby="danger-zone">
      <h2 id="danger-zone">Danger Zone</h2>
      <div className={styles.buttons}>
        <Button look="quiet" isBusy={isLoggingOut} onClick={onLogout}>
          {isLoggingOut ? 'Loading...' : 'Logout'}
        </Button>
        <Button look="danger" onClick={() => setIsAsking(true)}>
          Delete Account
        </Button>
      </div>
      <Suspense fallback={null}>
        {isAsking && (
          <DeleteAccountDialog onDelete={onDeleteAccount} onClose={() => setIsAsking(false)} />
        )}
      </Suspense>
    </section>
  )
}
