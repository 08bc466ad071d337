import type { ReactNode } from 'react'
import type { OwnProfile } from './own-profile.ts'
import type { PicturePlace } from './picture/check-picture.ts'
import { OwnPicture } from './picture/own-picture.tsx'
import { ProfileFacts } from './profile-facts.tsx'
import { ProfileForm } from './profile-form.tsx'
import styles from './profile-page.module.css'

interface ProfileBodyProps {
  profile: OwnProfile
  place: PicturePlace
  isEditing: boolean
  onStop(): void
  /** Further facts in view mode. */
  children?: ReactNode
}

/** The picture, and the record to read or to edit. */
export function ProfileBody({ profile, place, isEditing, onStop, children }: ProfileBodyProps) {
  const { user, picture, waiting } = profile
  return (
    <>
      <OwnPicture
        name={user.username}
        picture={picture}
        waiting={waiting.picture}
        place={place}
        onSave={profile.onSavePicture}
        onRemove={profile.onRemovePicture}
      />
      {waiting.changes && (
        <p className={styles.waiting} role="status">
          {waiting.changes}
        </p>
      )}
      {isEditing ? (
        <ProfileForm user={user} onSave={profile.onSave} onClose={onStop} />
      ) : (
        <ProfileFacts user={user}>{children}</ProfileFacts>
      )}
    </>
  )
}
