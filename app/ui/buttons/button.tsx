import type { ComponentProps } from 'react'
import { joinClassNames } from '../styles/join-class-names.ts'
import styles from './button.module.css'

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
