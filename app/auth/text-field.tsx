import { type ComponentProps, type ReactNode, useId } from 'react'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import styles from './styles/form.module.css'

interface TextFieldProps extends ComponentProps<'input'> {
  label: string
  /** Something at the end of the field, such as a toggle. */
  end?: ReactNode
}

export function TextField({ label, end, ...input }: TextFieldProps) {
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
        />
        {end}
      </div>
    </div>
  )
}
