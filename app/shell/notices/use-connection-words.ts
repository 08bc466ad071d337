import { useEffect, useState } from 'react'
import type { Connection } from '../../sync/messenger-types.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import type { IconName } from '../../ui/icons/icon-paths.ts'
import { useMessenger } from '../session/messenger-context.tsx'

const lateAfterMs = 2_000

/**
 * The current text about the connection, once its delay is over.
 * @param options.countsWaiting does it say how much waits?
 */
export function useConnectionWords({ countsWaiting = true } = {}): ConnectionWords | undefined {
  const connection = useLiveValue(useMessenger().connection)
  const counted = countsWaiting ? connection : { ...connection, pendingCount: 0 }
  return usePatientWords(describeConnection(counted))
}

/** The words after their delay: late words wait a moment, any that follow show immediately. */
function usePatientWords(words: ConnectionWords | undefined): ConnectionWords | undefined {
  const [isDue, setIsDue] = useState(false)
  const hasWords = words !== undefined
  const isLate = words?.isLate === true
  useEffect(() => {
    if (!hasWords) return setIsDue(false)
    const timer = setTimeout(() => setIsDue(true), isLate ? lateAfterMs : 0)
    return () => clearTimeout(timer)
  }, [hasWords, isLate])
  return isDue || !isLate ? words : undefined
}

interface ConnectionWords {
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
  // Together on one line.
  return ` ·\u00a0${pendingCount}\u00a0waiting`
}
