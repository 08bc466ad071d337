import type { MessageDocument } from '../../../schema/message.ts'
import { deriveStatus, deriveStatusHistory, type PeerMarks } from '../../../schema/peer-marks.ts'

/**
 * A message as screens show it: its status follows from the other person's marks. Never stored:
 * commands read the stored version by its id.
 * @param marks its conversation, if any
 */
export function showMessage(
  message: MessageDocument,
  marks: Partial<PeerMarks> | undefined,
): MessageDocument {
  const status = deriveStatus(message, marks)
  if (status === message.status) return message
  return { ...message, status, statusHistory: deriveStatusHistory(message, marks) }
}
