import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { Icon } from '../ui/icons/icon.tsx'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import styles from './styles/form.module.css'

export interface TextFieldProps extends ComponentProps<'input'> {
  label: string
  /** What is wrong with the field's value, in words. */
  problem?: string | undefined
  /** Something at the end of the field, such as a toggle. */
  end?: ReactNode
}

export function TextField({ label, problem, end, ...input }: TextFieldProps) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.box}>
        <input
          {...input}
          id={id}
          className={joinClassNames(styles.input, end !== undefined && styles.withToggle)}
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `${id}-problem` : undefined}
        />
        {end}
      </div>
      <ErrorBox id={`${id}-problem`} text={problem} isOfField />
    </div>
  )
}

interface CheckBoxProps {
  label: string
  isChecked: boolean
  onChange(isChecked: boolean): void
}

export function CheckBox({ label, isChecked, onChange }: CheckBoxProps) {
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        checked={isChecked}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  )
}

interface ErrorBoxProps {
  text: string | undefined
  id?: string
  /** Does it stand beneath the field that it is about? */
  isOfField?: boolean
}

/** A red error box above a form or beneath a field; screen readers announce it. */
export function ErrorBox({ text, id, isOfField = false }: ErrorBoxProps) {
  return (
    <div role="alert">
      {text && (
        <p id={id} className={joinClassNames(styles.error, isOfField && styles.ofField)}>
          <Icon name="warning" size={isOfField ? 16 : 20} />
          {text}
        </p>
      )}
    </div>
  )
}

/** A password field with a toggle that shows its text. */
export function PasswordField(props: Omit<TextFieldProps, 'type' | 'end'>) {
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
