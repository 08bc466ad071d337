import type { ReactElement } from 'react'
import type { MenuPoint } from '../../ui/menus/menu-action.ts'

export interface ReactionBarDrawing {
  point: MenuPoint
  /** The own reaction now, if there is one. */
  chosen: string | undefined
  isExpanded: boolean
  /** Called with the characters of an emoji. */
  onChoose(emoji: string): void
  onClose(): void
}

/** Draws the reactions to choose from. The shell gives it, so that the conversation need not know emoji. */
export type DrawReactionBar = (drawing: ReactionBarDrawing) => ReactElement
