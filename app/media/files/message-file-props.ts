import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'

export interface MessageFileProps {
  messenger: Pick<Messenger, 'files' | 'connection' | 'commands' | 'userId'>
  message: MessageDocument
}
