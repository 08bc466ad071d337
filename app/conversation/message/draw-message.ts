import type { ReactElement } from 'react'
import type { MessageDocument } from '../../../schema/message.ts'
import type { LiveSource } from '../../ui/hooks/use-live-value.ts'
import type { MenuPoint } from '../../ui/menus/menu-action.ts'
import type { MessageMenuHandlers } from './list-message-actions.ts'

/** The actions that a message's own controls can trigger. */
export interface MessageHandlers extends MessageMenuHandlers {
  retry(message: MessageDocument): void
  discard(message: MessageDocument): void
  dismissRefusal(message: MessageDocument): void
  editAgain(message: MessageDocument, text: string): void
  showMessage(messageId: string): void
  /** Leads to a mentioned person. */
  showPerson(userId: string): void
  /** Reacts with an emoji, or removes the own reaction if it is the same. */
  toggleReaction(message: MessageDocument, emoji: string): void
  /** Opens the reaction choice. */
  chooseReaction(message: MessageDocument, point: MenuPoint): void
}

/** One picture or video of an album. */
export interface DrawnPart {
  message: MessageDocument
  canReact: boolean
  /** Undefined outside selection mode. */
  isSelected: boolean | undefined
  isHighlighted: boolean
}

export interface MessageDrawing {
  message: MessageDocument
  isOwn: boolean
  ownId: string
  /** Names whoever wrote it, or reacted to it. The same function until a name changes. */
  nameOf(userId: string): string
  startsGroup: boolean
  /** Does its author's name stand in it? */
  showsAuthor: boolean
  /** Pictures and videos sent together, of which `message` is the first. */
  album: readonly DrawnPart[] | undefined
  /** The part of the album under the mouse. */
  hoveredId: string | undefined
  isHovered: boolean
  /** Is a finger pulling it to the right, for a reply? */
  isPulled: boolean
  /** Undefined outside selection mode. */
  isSelected: boolean | undefined
  isHighlighted: boolean
  /** The search query in this chat; empty without one. */
  markQuery: string
  isTabStop: boolean
  canReact: boolean
  /** The message replied to, if it is loaded: `findMessage` finds others. */
  quoted: MessageDocument | undefined
  findMessage(messageId: string): LiveSource<MessageDocument | null | undefined>
  actions: MessageHandlers
}

/** Draws one message. The shell provides it, so that the list and the bubble stay independent. */
export type DrawMessage = (drawing: MessageDrawing) => ReactElement
