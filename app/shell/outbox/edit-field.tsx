import { useEffect, useRef, useState } from 'react'
import { limits } from '../../../schema/limits.ts'
import { Button } from '../../ui/buttons/button.tsx'
import styles from './outbox.module.css'

interface EditFieldProps {
  initialText: string
  onSave(text: string): void
  onCancel(): void
}

/** Changes an unsent message's text in its place. */
export function EditField({ initialText, onSave, onCancel }: EditFieldProps) {
  const [text, setText] = useState(initialText)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <form
      className={styles.edit}
      onSubmit={(event) => {
        event.preventDefault()
        onSave(text)
      }}
    >
      <textarea
        ref={field}
        aria-label="Message text"
        rows={3}
        dir="auto"
        maxLength={limits.messageMaxCharacters}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          onCancel()
        }}
      />
      <span className={styles.buttons}>
        <Button look="quiet" onClick={onCancel}>
          Cancel edit
        </Button>
        <Button type="submit">Save</Button>
      </span>
    </form>
  )
}
