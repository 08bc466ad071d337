import type { IconName } from './icon-paths.ts'

export interface MenuAction {
  label: string
  icon: IconName
  onSelect(): void
  isDanger?: boolean
  /** Draws a line above. */
  startsSection?: boolean
}

/** Where a menu opens, in px of the viewport. */
export interface MenuPoint {
  x: number
  y: number
}
