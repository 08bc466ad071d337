import type { Connection } from '../../sync/messenger-types.ts'
import type { IconName } from '../../ui/icons/icon-paths.ts'

export interface ConnectionWords {
  text: string
  icon: IconName
  /** Shown only after a delay: a short disconnection needs no notice. */
  isLate: boolean
}

/** The text about the connection; undefined when there is nothing to report. */
export function describeConnection(connection: Connection): ConnectionWords | undefined {
  const waiting = describeWaiting(connection.pendingCount)
  const icon = 'cloudOff'
  switch (connection.state) {
    case 'starting':
      return describeComing(connection.comingCount)
    case 'live':
      return connection.words === undefined
        ? describeComing(connection.comingCount)
        : { text: connection.words, icon, isLate: false }
    case 'connecting':
      return { text: `Connecting…${waiting}`, icon, isLate: true }
    case 'offline':
      return {
        text: `You're offline. Messages will send when you're back.${waiting}`,
        icon,
        isLate: true,
      }
    case 'outdated':
      return {
        text: `Update to go on. Messages will send when you've updated.${waiting}`,
        icon,
        isLate: false,
      }
    case 'signed-out':
      return {
        text: `You've been signed out. Sign in to continue.${waiting}`,
        icon,
        isLate: false,
      }
    case 'trouble':
      return {
        text: `${connection.words ?? "Can't reach the server."}${waiting}`,
        icon,
        isLate: false,
      }
  }
}

function describeComing(comingCount = 0): ConnectionWords | undefined {
  if (comingCount === 0) return undefined
  const count = comingCount.toLocaleString('en')
  return { text: `Loading new messages… · ${count} to go`, icon: 'download', isLate: true }
}

function describeWaiting(pendingCount: number): string {
  if (pendingCount === 0) return ''
  return ` · ${pendingCount} waiting`
}
