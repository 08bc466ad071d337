import { type IconName, iconPaths } from './icon-paths.ts'

interface IconProps {
  name: IconName
  /** Width and height in px. */
  size?: number
  isFilled?: boolean
}

/** A decorative icon in the text's colour; the control around it has the accessible name. */
export function Icon({ name, size = 22, isFilled = false }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={isFilled ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.6 : 1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={iconPaths[name]} />
    </svg>
  )
}
