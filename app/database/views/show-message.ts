import type { MessageDocument } from '../../../schema/message.ts'
import { deriveStatus, deriveStatusHistory, type PeerMarks } from '../../../schema/peer-marks.ts'

/**
 * A message as screens show it: how far it has come follows from the other person's marks. Never stored: commands
 * change what is stored, which they read by its id.
 * @param marks its conversation, where there is one
 */
export function showMessage(
  message: MessageDocument,
  marks: Partial<PeerMarks> | undefined,
): MessageDocument {
  const status = deriveStatus(message, marks)
  if (status === message.status) return message
  return { ...message, status, statusHistory: deriveStatusHistory(message, marks) }
}
