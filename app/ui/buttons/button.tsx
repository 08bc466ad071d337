import type { ComponentProps, MouseEvent } from 'react'
import { desktopAppUrl } from '../product.ts'
import { joinClassNames } from '../styles/join-class-names.ts'
import styles from './button.module.css'
import downloadLinkStyles from './download-link.module.css'

interface ButtonProps extends ComponentProps<'button'> {
  look?: 'primary' | 'quiet' | 'danger'
  /** While what it began is under way: it ignores presses and, unlike a disabled one, keeps the focus. */
  isBusy?: boolean
}

export function Button({
  look = 'primary',
  isBusy = false,
  className,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? ignorePress : onClick}
      className={joinClassNames(styles.button, styles[look], className)}
    />
  )
}

/** Enter in a form's field presses its button, too. */
function ignorePress(event: MouseEvent) {
  event.preventDefault()
}

/** Opens the desktop app's store page in a new tab. Source: decision 61, section 2. */
export function DownloadLink() {
  return (
    <a
      className={downloadLinkStyles.download}
      href={desktopAppUrl}
      target="_blank"
      rel="noreferrer"
    >
      Download
    </a>
  )
}
