import type { MessageDocument } from '../../../schema/message.ts'
import type { LiveValue } from '../../database/views/live-value.ts'
import type { Messenger } from '../../sync/messenger-types.ts'

/** A conversation's whole content, oldest first, read page by page as a screen does. */
export async function readConversation(
  messenger: Messenger,
  peerId: string,
): Promise<readonly MessageDocument[]> {
  const view = messenger.openConversation(peerId)
  try {
    await untilLive(view.messages, (window) => window.isLoaded)
    const seen = new Map<string, MessageDocument>()
    for (;;) {
      const { items, hasOlder } = view.messages.getSnapshot()
      for (const message of items) seen.set(message._id, message)
      if (!hasOlder) break
      await view.loadOlder()
    }
    return [...seen.values()].sort((a, b) => a.orderedAt - b.orderedAt || (a._id < b._id ? -1 : 1))
  } finally {
    view.close()
  }
}

/** Resolves once the value is as wanted. Rejects with the actual value after `withinMs`. */
export function untilLive<T>(
  value: LiveValue<T>,
  isWanted: (value: T) => boolean,
  withinMs = 20_000,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const current = value.getSnapshot()
      if (!isWanted(current)) return
      stop()
      resolve(current)
    }
    const stop = () => {
      clearTimeout(deadline)
      unsubscribe()
    }
    const deadline = setTimeout(() => {
      stop()
      reject(
        new Error(`Not as wanted after ${withinMs} ms: ${JSON.stringify(value.getSnapshot())}`),
      )
    }, withinMs)
    const unsubscribe = value.subscribe(look)
    look()
  })
}
