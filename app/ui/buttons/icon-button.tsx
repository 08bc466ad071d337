import type { ComponentProps } from 'react'
import { Icon } from '../icons/icon.tsx'
import type { IconName } from '../icons/icon-paths.ts'
import { joinClassNames } from '../styles/join-class-names.ts'
import styles from './icon-button.module.css'

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label'> {
  icon: IconName
  /** The button's name, also its tooltip. */
  label: string
  iconSize?: number
  isSmall?: boolean
}

export function IconButton({
  icon,
  label,
  iconSize,
  isSmall,
  className,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      data-tooltip={label}
      {...rest}
      aria-label={label}
      className={joinClassNames(styles.button, isSmall && styles.small, className)}
    >
      <Icon name={icon} size={iconSize ?? (isSmall ? 18 : 22)} />
    </button>
  )
}
