import { type ComponentProps, useId, useState } from 'react'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { DialogField } from '../../ui/forms/dialog-form.tsx'
import styles from './account.module.css'

interface FieldProps extends ComponentProps<'input'> {
  label: string
}

export function AccountField({ label, ...input }: FieldProps) {
  return (
    <DialogField label={label}>
      <input {...input} autoCapitalize="none" spellCheck={false} />
    </DialogField>
  )
}

/** A password field with a toggle that shows its text. */
export function AccountPassword({ label, ...input }: FieldProps) {
  const [isShown, setIsShown] = useState(false)
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.box}>
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
