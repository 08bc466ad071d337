import type { MessageDocument } from '../../../schema/message.ts'

/** Both people with their pictures and numbers, and the times as text. */
const aroundBytes = 1_500

/**
 * About how many bytes a message takes in an answer: at most four a character, or six for one that
 * JSON escapes.
 */
export function measureMessage(message: MessageDocument): number {
  return Buffer.byteLength(JSON.stringify(message)) + aroundBytes
}
