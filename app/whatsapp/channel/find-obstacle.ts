import type { Channel } from './channel.ts'
import type { WindowState } from './describe-window.ts'

/** Why nothing can be written to customers, whatever the 24 hours say; undefined without a reason. */
export function findObstacle({
  isLinked,
  isOff,
}: Pick<Channel, 'isLinked' | 'isOff'>): WindowState | undefined {
  if (isOff) {
    // What is sent stays in the server's outbox.
    const words = "This server isn't connected to WhatsApp. Your messages wait until it is."
    return { kind: 'closed', words }
  }
  if (isLinked) return undefined
  return { kind: 'closed', words: "WhatsApp isn't linked. Link it to write to customers." }
}
