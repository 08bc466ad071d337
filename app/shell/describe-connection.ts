import type { Connection } from '../sync/messenger.ts'

export interface ConnectionWords {
  text: string
  /** Shown only after a moment: a link that comes back at once is not worth a word. */
  isLate: boolean
}

/** What a person should know of the connection; undefined while there is nothing to say. */
export function describeConnection(connection: Connection): ConnectionWords | undefined {
  const waiting = describeWaiting(connection.pendingCount)
  switch (connection.state) {
    case 'starting':
      return undefined
    case 'live':
      return connection.words === undefined ? undefined : { text: connection.words, isLate: false }
    case 'connecting':
      return { text: `Connecting…${waiting}`, isLate: true }
    case 'offline':
      return {
        text: `You're offline. Messages will send when you're back.${waiting}`,
        isLate: true,
      }
    case 'signed-out':
      return { text: `You've been signed out. Sign in to continue.${waiting}`, isLate: false }
    case 'trouble':
      return {
        text: `${connection.words ?? "Can't reach the server."}${waiting}`,
        isLate: false,
      }
  }
}

function describeWaiting(pendingCount: number): string {
  if (pendingCount === 0) return ''
  return ` · ${pendingCount} waiting`
}
