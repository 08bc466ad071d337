import type { IconName } from '../icons/icon-paths.ts'

export interface MenuAction {
  label: string
  icon: IconName
  onSelect(): void
  isDanger?: boolean
  /** Draws a separator above. */
  startsSection?: boolean
}

/** One of a few choices in a row above a menu's actions. */
export interface MenuChoice {
  label: string
  options: readonly { value: string; name: string }[]
  value: string | undefined
  onChoose(value: string): void
  more: { name: string; onSelect(): void }
}

/** Where a menu opens, in px of the viewport. */
export interface MenuPoint {
  x: number
  y: number
  /** On which side of it, where there is room; beneath by default. */
  side?: 'top' | 'bottom'
}
