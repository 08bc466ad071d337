import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { defaultAbout } from '../../schema/limits.ts'
import type { OwnUser, ProfileChange } from '../../schema/user.ts'
import { Button } from '../ui/buttons/button.tsx'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { formatDate } from '../ui/format/format-clock-time.ts'
import { formatLastSeen } from '../ui/format/format-last-seen.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { Page } from '../ui/layout/page.tsx'
import { Avatar } from '../ui/people/avatar.tsx'
import { DangerZone } from './danger-zone.tsx'
import { ProfileForm } from './profile-form.tsx'
import styles from './profile-page.module.css'

export interface ProfilePageProps {
  /** The device's version of the record. */
  user: OwnUser
  isOnline: boolean
  /** Reads the record from the server. Rejects with words for a person. */
  onRefresh(): Promise<void>
  /** Is there no network? Then a failed reload stays silent. */
  isOffline(): boolean
  onSave(change: ProfileChange): Promise<void>
  /** Shown after the record: whether the business channel is linked. */
  channel?: ReactNode
  onBack(): void
  onLogout(): void
  onDeleteAccount(): Promise<void>
}

/** Shows and edits the signed-in person's record. Source: section 2 of the specification. */
export function ProfilePage(props: ProfilePageProps) {
  const { user, isOnline, onSave } = props
  const [isEditing, setIsEditing] = useState(false)
  const refresh = useRefresh({ read: props.onRefresh, isOffline: props.isOffline })
  return (
    <Page
      title="Profile"
      backLabel="Back to chats"
      onBack={props.onBack}
      end={
        !isEditing && (
          <IconButton icon="edit" label="Edit profile" onClick={() => setIsEditing(true)} />
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
      <div className={styles.face}>
        <Avatar name={user.username} picture={user.profilePicture ?? undefined} size={8} />
      </div>
      {isEditing ? (
        <ProfileForm user={user} onSave={onSave} onClose={() => setIsEditing(false)} />
      ) : (
        <dl className={styles.facts}>
          <Fact name="Name" value={user.username} />
          <Fact name="Email" value={user.email} note="Email cannot be changed" />
          <Fact name="About" value={user.status || defaultAbout} />
          <Fact name="Member since" value={formatDate(Date.parse(user.createdAt))} />
          <Fact name="Last seen" value={isOnline ? 'Online' : describeLastSeen(user)} />
        </dl>
      )}
      {props.channel}
      <DangerZone onLogout={props.onLogout} onDeleteAccount={props.onDeleteAccount} />
    </Page>
  )
}

function Fact({ name, value, note }: { name: string; value: string; note?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">
        {value}
        {note && <small>{note}</small>}
      </dd>
    </div>
  )
}

function describeLastSeen({ lastSeen }: OwnUser): string {
  return formatLastSeen(lastSeen ? Date.parse(lastSeen) : undefined, Date.now())
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
