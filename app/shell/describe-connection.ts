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
    case 'live':
      return undefined
    case 'connecting':
      return { text: `Connecting…${waiting}`, isLate: true }
    case 'offline':
      return {
        text: `You are offline. What you write is kept here and sent by itself.${waiting}`,
        isLate: true,
      }
    case 'signed-out':
      return { text: `You are signed out. Sign in again to go on.${waiting}`, isLate: false }
    case 'trouble':
      return {
        text: `${connection.words ?? 'The server cannot be reached.'}${waiting}`,
        isLate: false,
      }
  }
}

function describeWaiting(pendingCount: number): string {
  if (pendingCount === 0) return ''
  return pendingCount === 1 ? ' 1 change waits.' : ` ${pendingCount} changes wait.`
}
