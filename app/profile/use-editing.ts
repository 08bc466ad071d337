import { useLayoutEffect, useRef, useState } from 'react'

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
