import type { ReactNode, RefObject } from 'react'

export interface ComposerTools {
  field: RefObject<HTMLTextAreaElement | null>
  /** Where a tool can open something: right under the field. */
  place: HTMLElement | null
}

/** Draws what stands before the field. The shell gives it, so that the composer and its tools need not know each other. */
export type DrawComposerTools = (tools: ComposerTools) => ReactNode
