import { type ComponentProps, useState } from 'react'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import styles from './styles/form.module.css'
import { TextField } from './text-field.tsx'

interface PasswordFieldProps extends Omit<ComponentProps<'input'>, 'type'> {
  label: string
}

/** A password field with a toggle that shows its text. */
export function PasswordField(props: PasswordFieldProps) {
  const [isShown, setIsShown] = useState(false)
  return (
    <TextField
      {...props}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      end={
        <IconButton
          className={styles.toggle}
          icon={isShown ? 'hide' : 'eye'}
          label={
            isShown ? `Hide ${props.label.toLowerCase()}` : `Show ${props.label.toLowerCase()}`
          }
          aria-pressed={isShown}
          onClick={() => setIsShown(!isShown)}
        />
      }
    />
  )
}
