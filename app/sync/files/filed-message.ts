import type { MessageDocument } from '../../../schema/message.ts'

export interface FiledMessage extends Pick<MessageDocument, '_id' | 'mediaUrl'> {
  file?: { size: number } | undefined
}
