import { useEffect, useRef, useState } from 'react'
import type { Connection } from '../../sync/messenger-types.ts'
import type { OutboxCounts } from '../../sync/outbox/outbox-types.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import type { IconName } from '../../ui/icons/icon-paths.ts'
import { useMessenger } from '../session/messenger-context.tsx'

const lateAfterMs = 2_000
/** How long it is said that the connection is back. */
const backShownMs = 2_500

/**
 * The current text about the connection, once its delay is over.
 * @param options.countsWaiting does it say how much waits?
 */
export function useConnectionWords({ countsWaiting = true } = {}): ConnectionWords | undefined {
  const messenger = useMessenger()
  const connection = useLiveValue(messenger.connection)
  const counts = useLiveValue(messenger.outbox)
  const counted = countsWaiting ? connection : { ...connection, pendingCount: 0 }
  const words = usePatientWords(describeConnection(counted))
  return useReturn({ state: connection.state, isShown: words !== undefined, counts }) ?? words
}

/** The moment after a disconnection that the person has seen, with how much was sent then. */
function useReturn({ state, isShown, counts }: Away): ConnectionWords | undefined {
  const before = useRef({ isSeen: false, wasLive: false, wasOffline: false, waiting: 0, failed: 0 })
  const [back, setBack] = useState<OutboxCounts>()
  const [sentCount, setSentCount] = useState(0)
  const { waiting, failed } = counts

  useEffect(() => {
    const known = before.current
    if (state === 'live') {
      Object.assign(known, { wasLive: true, wasOffline: false })
      if (!known.isSeen) return
      known.isSeen = false
      setSentCount(0)
      return setBack({ waiting: known.waiting, failed: known.failed })
    }
    setBack(undefined)
    if (isShown && (state === 'offline' || (state === 'connecting' && known.wasLive))) {
      known.isSeen = true
    }
    if (state === 'offline') known.wasOffline = true
    // On the way back from offline some may be sent already.
    const isLeaving = state === 'connecting' && known.wasOffline
    known.waiting = isLeaving ? Math.max(known.waiting, waiting) : waiting
    known.failed = failed
  }, [state, isShown, waiting, failed])

  useEffect(() => {
    if (!back || waiting > 0) return
    setSentCount((said) => Math.max(said, back.waiting - Math.max(0, failed - back.failed)))
  }, [back, waiting, failed])

  // What is sent meanwhile is said as long.
  // biome-ignore lint/correctness/useExhaustiveDependencies: begins again with each count
  useEffect(() => {
    if (!back) return
    const timer = setTimeout(() => setBack(undefined), backShownMs)
    return () => clearTimeout(timer)
  }, [back, sentCount])

  return back && state === 'live' ? describeReturn(sentCount) : undefined
}

interface Away {
  state: Connection['state']
  /** Do words about the connection stand there? */
  isShown: boolean
  counts: OutboxCounts
}

/** @param sentCount how much of what waited was sent */
function describeReturn(sentCount: number): ConnectionWords {
  const sent = sentCount > 0 ? ` ·\u00a0${sentCount.toLocaleString('en')}\u00a0sent` : ''
  return { text: `Back online${sent}`, icon: 'check', isLate: false, isGood: true }
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
  isGood?: boolean
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
