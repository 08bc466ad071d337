import type { ReactNode } from 'react'
import type { LinkPreview } from '../../schema/link-preview.ts'
import type { MessageDocument } from '../../schema/message.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import type { AskServer } from './chat-search/use-chat-search.ts'
import type { DrawComposerTools } from './composer/composer-tools.ts'
import type { DrawMessage } from './message/draw-message.ts'
import type { DrawReactionBar } from './message/list-message-actions.ts'
import type { ListPlace } from './message-list/step-window.ts'

export interface ConversationProps {
  messenger: Messenger
  peerId: string
  /** A message to show on open, such as a starred one. */
  startMessageId?: string | undefined
  /** The messages' scroll position when the person left, to restore it. */
  startPlace?: ListPlace | undefined
  /** Called once either has been applied, so that the same request can come again. */
  onStartShown(): void
  drawMessage: DrawMessage
  /** Draws the tools before the composer's field. */
  drawTools?: DrawComposerTools
  drawReactionBar: DrawReactionBar
  /** The server's search, merged with the device's own. */
  askServer: AskServer
  /** What the page behind an address says of itself, with a small picture; undefined for nothing. */
  readLink(url: string): Promise<LinkPreview | undefined>
  /** Shown under the header, such as the state of the connection. */
  notice?: ReactNode
  /** What was just done here and can be undone, above the composer. */
  undo?: ReactNode
  onBack: (() => void) | undefined
  /** Opens the conversation with another person. */
  onOpenChat(peerId: string): void
  /** Shows what is known about a mentioned person. @param place as for the media */
  onOpenPerson(userId: string, place: ListPlace | undefined): void
  /**
   * Shows the conversation's media, files and links. @param place to return to; undefined for the
   * end
   */
  onOpenMedia(place: ListPlace | undefined): void
  /** Is the contact panel beside it? */
  hasInfo: boolean
  /** Shows what is known about the other person, or hides it. @param place as for the media */
  onOpenInfo(place: ListPlace | undefined): void
  /** Shows how the chat is encrypted. @param place as for the media */
  onOpenEncryption(place: ListPlace | undefined): void
  /** What the viewer over it asks for: it is done, then `onWishDone` called. */
  wish?: { kind: 'reply' | 'forward'; message: MessageDocument } | undefined
  onWishDone?(): void
  /** Begins a search, then calls `onSearchBegun`. */
  asksSearch: boolean
  onSearchBegun(): void
  /** Called once its messages are drawn, or there are none. */
  onDrawn(): void
}
