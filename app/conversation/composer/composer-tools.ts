import type { ReactNode, RefObject } from 'react'

export interface ComposerTools {
  field: RefObject<HTMLTextAreaElement | null>
  /** Where a tool can open something: right under the field. */
  place: HTMLElement | null
  /** Behind the field, in the place of Send; null while something is written. */
  end: HTMLElement | null
  /** What is drawn there stands in the place of the field and of all tools. */
  over: HTMLElement | null
  /** Where a new message is written: what else a tool sends belongs to the same. */
  sending?: SendingTools | undefined
}

export interface SendingTools {
  /** The id of the message that is answered. */
  replyTo: string | undefined
  /** To be called when a message has been stored. */
  onSent(): void
}

/** Draws what stands before the field. The shell gives it, so that the composer and its tools need not know each other. */
export type DrawComposerTools = (tools: ComposerTools) => ReactNode
