import type { ComponentProps } from 'react'
import styles from './button.module.css'
import { joinClassNames } from './join-class-names.ts'

interface ButtonProps extends ComponentProps<'button'> {
  look?: 'primary' | 'quiet' | 'danger'
}

export function Button({ look = 'primary', className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={joinClassNames(styles.button, styles[look], className)}
    />
  )
}
