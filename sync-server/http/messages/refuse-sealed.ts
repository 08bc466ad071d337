import type { MessageDocument } from '../../../schema/message.ts'
import { RequestRefused } from '../core/request-refused.ts'

/**
 * What is encrypted takes no words in plain: they would stand open beside it.
 * @throws RequestRefused `message_sealed`
 */
export function refuseSealed({ sealed }: Pick<MessageDocument, 'sealed'>): void {
  if (sealed !== undefined) throw new RequestRefused('message_sealed')
}
