import type { MessageDocument } from '../../../schema/message.ts'

/** A business-channel message before it is sent. */
export interface Outgoing {
  /** Its text. */
  content: string
  business: Pick<MessageDocument, 'type' | 'template' | 'interactive'>
}
