import type { ReactElement } from 'react'
import type { MenuPoint } from '../../ui/menus/menu-action.ts'

export interface ReactionBarDrawing {
  point: MenuPoint
  /** The current own reaction, if any. */
  chosen: string | undefined
  isExpanded: boolean
  /** Called with the characters of an emoji. */
  onChoose(emoji: string): void
  onClose(): void
}

/**
 * Draws the reaction choice. The shell provides it, so that the conversation does not depend on
 * app/emoji.
 */
export type DrawReactionBar = (drawing: ReactionBarDrawing) => ReactElement
