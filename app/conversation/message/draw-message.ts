import type { ReactElement } from 'react'
import type { MessageDocument } from '../../../schema/message.ts'
import type { LiveSource } from '../../ui/hooks/use-live-value.ts'
import type { MenuPoint } from '../../ui/menus/menu-action.ts'
import type { MessageMenuHandlers } from './list-message-actions.ts'

/** What a message's own controls can ask of the conversation. */
export interface MessageHandlers extends MessageMenuHandlers {
  retry(message: MessageDocument): void
  discard(message: MessageDocument): void
  dismissRefusal(message: MessageDocument): void
  editAgain(message: MessageDocument, text: string): void
  showMessage(messageId: string): void
  /** Reacts to it with an emoji, or takes that reaction back where it is the own one already. */
  toggleReaction(message: MessageDocument, emoji: string): void
  /** Opens the reactions to choose from. */
  chooseReaction(message: MessageDocument, point: MenuPoint): void
}

export interface MessageDrawing {
  message: MessageDocument
  isOwn: boolean
  ownId: string
  peerName: string
  startsGroup: boolean
  isHovered: boolean
  /** Does a finger pull it to the right, for a reply? */
  isPulled: boolean
  /** Undefined outside selection mode. */
  isSelected: boolean | undefined
  isHighlighted: boolean
  /** What is searched for in this chat; empty when nothing is. */
  markQuery: string
  isTabStop: boolean
  canReact: boolean
  /** The message that is answered, where it is among the loaded ones: the others are found by `findMessage`. */
  quoted: MessageDocument | undefined
  findMessage(messageId: string): LiveSource<MessageDocument | null | undefined>
  actions: MessageHandlers
}

/** Draws one message. The shell gives it, so that the list and the bubble need not know each other. */
export type DrawMessage = (drawing: MessageDrawing) => ReactElement
