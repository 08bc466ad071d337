import type { MessageDocument } from '../../../schema/message.ts'
import type { MessageFiles } from '../../messages/copies/message-files.ts'
import type { InboundMedia } from '../content/inbound-media.ts'
import type { ContactDocument } from '../customers/contact-documents.ts'
import type { Contacts } from '../customers/contacts.ts'
import type { MessageIndex } from '../inbound/message-index.ts'
import type { OperatorCopies } from '../inbound/operator-copies.ts'
import type { Operators } from '../inbound/operators.ts'

/** Something that happened, for the statistics that operators see. */
export type Happening = { phoneNumberId: string } & (
  | { kind: 'inbound' | 'outbound'; type: string }
  | { kind: 'status'; status: 'sent' | 'delivered' | 'read' | 'failed' }
)

/** The dependencies for applying updates. */
export interface ApplyTools {
  operators: Operators
  contacts: Contacts
  copies: OperatorCopies
  index: MessageIndex
  media: Pick<InboundMedia, 'keep'>
  files: Pick<MessageFiles, 'releaseMedia'>
  /** Settles an outbox entry with an unknown outcome. */
  settleOutbox: (entryName: string) => Promise<void>
  isBlocked: (ownerId: string, contactId: string) => Promise<boolean>
  tell: {
    received: (message: MessageDocument, contact: ContactDocument) => void
    status: (ownerId: string, message: MessageDocument) => void
  }
  record: (happening: Happening) => void
  now: () => number
}
