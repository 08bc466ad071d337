import { v7 as createId } from 'uuid'
import { sealedFormat } from '../../../schema/encryption/sealed-part.ts'
import type { ServerView } from '../server/server-view.ts'
import type { Witness } from './witness.ts'

/** An app newer than all of the lab, on a device that nobody sees. */
export interface NewerApp {
  /** Writes words in a format that only an update reads. What cannot be sent now waits. */
  say(recipientId: string): Promise<void>
  /**
   * Sends what waits.
   * @throws when the server does not take it now
   */
  sendAgain(): Promise<void>
}

export function createNewerApp(options: {
  userId: string
  server: Pick<ServerView, 'push'>
  witness: Pick<Witness, 'recordNewer'>
}): NewerApp {
  const { userId: senderId, server, witness } = options
  let waiting: readonly object[] = []

  async function sendAgain() {
    if (waiting.length === 0) return
    await server.push('messages', waiting)
    waiting = []
  }

  return {
    sendAgain,
    async say(recipientId) {
      const [_id, now] = [createId(), Date.now()]
      const sealed = `${sealedFormat + 1}.${_id}`
      witness.recordNewer(_id, sealed)
      const open = {
        content: '',
        sealed,
        createdAt: now,
        orderedAt: now,
        status: 'sending',
        attempt: 1,
      }
      waiting = [...waiting, { _id, peerId: recipientId, senderId, recipientId, ...open }]
      await sendAgain().catch(() => {})
    },
  }
}
