import type { MessageDocument } from '../../../schema/message.ts'

/** A message of the business channel before anybody gets it. */
export interface Outgoing {
  /** How it reads. */
  content: string
  business: Pick<MessageDocument, 'type' | 'template' | 'interactive'>
}
