import { type ComponentProps, useId, useState } from 'react'
import { IconButton } from '../buttons/icon-button.tsx'
import styles from './dialog-form.module.css'

interface DialogPasswordProps extends ComponentProps<'input'> {
  label: string
}

/** A password field of a `DialogForm`, with a toggle that shows its text. */
export function DialogPassword({ label, ...input }: DialogPasswordProps) {
  const [isShown, setIsShown] = useState(false)
  const id = useId()
  return (
    <div className={styles.label}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.password}>
        <input
          {...input}
          id={id}
          type={isShown ? 'text' : 'password'}
          autoCapitalize="none"
          spellCheck={false}
        />
        <IconButton
          icon={isShown ? 'hide' : 'eye'}
          label={`${isShown ? 'Hide' : 'Show'} ${label.toLowerCase()}`}
          aria-pressed={isShown}
          onClick={() => setIsShown(!isShown)}
        />
      </div>
    </div>
  )
}
