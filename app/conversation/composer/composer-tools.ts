import type { ReactNode, RefObject } from 'react'
import type { MessageDocument } from '../../../schema/message.ts'

export const newMode: WriteMode = { kind: 'new' }

export interface ComposerTools {
  field: RefObject<HTMLTextAreaElement | null>
  /** The element right under the field where a tool can open a panel. */
  place: HTMLElement | null
  /** The element after the field, in Send's place; null while the field has text. */
  end: HTMLElement | null
  /** An element that replaces the field and all tools. */
  over: HTMLElement | null
  /** Set for new messages: what a tool sends has the same context. */
  sending?: SendingTools | undefined
}

export interface SendingTools {
  /** The id of the message replied to. */
  replyTo: string | undefined
  /** Call this when a message is stored. */
  onSent(): void
}

/**
 * Draws the tools before the field. The shell provides it, so that the composer and its tools stay
 * independent.
 */
export type DrawComposerTools = (tools: ComposerTools) => ReactNode

/** The composer's mode. */
export type WriteMode =
  | { kind: 'new' }
  | { kind: 'reply'; message: MessageDocument }
  | { kind: 'edit'; message: MessageDocument; text: string }
