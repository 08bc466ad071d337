import { useLayoutEffect, useRef, useState } from 'react'
import type { OwnUser, ProfileChange } from '../../schema/user.ts'

/** One's own record and what can be done with it, for the page and the panel. */
export interface OwnProfile {
  /** The device's version of the record, with what still waits. */
  user: OwnUser
  /** The picture's URL, also of one that waits. */
  picture: string | undefined
  /** Why changes are only on this device so far, in words. */
  waiting: { changes?: string | undefined; picture?: string | undefined }
  /** These reject with words for a person. */
  onSave(change: ProfileChange): Promise<void>
  onSavePicture(picture: Blob): Promise<void>
  onRemovePicture(): Promise<void>
}

/** Whether the record is edited. The form takes the focus, and the edit button, which it replaced, gets it back. */
export function useEditing() {
  const [isEditing, setIsEditing] = useState(false)
  const editButton = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  useLayoutEffect(() => {
    const isNowhere = document.activeElement === document.body
    if (wasEditing.current && !isEditing && isNowhere) editButton.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])
  return {
    isEditing,
    editButton,
    edit: () => setIsEditing(true),
    stop: () => setIsEditing(false),
  }
}
