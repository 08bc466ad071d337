import { useEffect, useState } from 'react'
import type { Connection } from '../../sync/messenger-types.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import type { IconName } from '../../ui/icons/icon-paths.ts'
import { useMessenger } from '../session/messenger-context.tsx'

const lateAfterMs = 2_000
/** How long it is said that the connection is back. */
const backShownMs = 2_500
/** How long after the return it is told how much was sent. */
const countedForMs = 60_000

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
  const isShown = words !== undefined
  return useReturn({ state: connection.state, isShown, ...counts }) ?? words
}

/** The moment after a disconnection that the person has seen, and then how much of what waited was sent. */
function useReturn(now: Situation): ConnectionWords | undefined {
  const [known, setKnown] = useState(nothingKnown)
  const [isShown, setIsShown] = useState(false)
  const { state, isShown: isLossShown, waiting, failed } = now
  useEffect(() => {
    setKnown((before) => followReturn(before, { state, isShown: isLossShown, waiting, failed }))
  }, [state, isLossShown, waiting, failed])

  const { back, sentCount } = known
  useEffect(() => {
    if (!back) return
    setIsShown(true)
    const timers = [
      setTimeout(() => setIsShown(false), backShownMs),
      setTimeout(() => setKnown((before) => ({ ...before, back: undefined })), countedForMs),
    ]
    return () => timers.forEach(clearTimeout)
  }, [back])
  // What a slow network takes longer for is said once it is sent.
  useEffect(() => {
    if (!sentCount) return
    setIsShown(true)
    const timer = setTimeout(() => setIsShown(false), backShownMs)
    return () => clearTimeout(timer)
  }, [sentCount])

  return back && isShown && state === 'live' ? describeReturn(sentCount ?? 0) : undefined
}

interface Situation {
  state: Connection['state']
  /** Do words about the connection stand there? */
  isShown: boolean
  waiting: number
  failed: number
}

interface Return {
  /** Has the person seen that the connection was lost? */
  isSeen: boolean
  wasLive: boolean
  wasOffline: boolean
  /** What waited, and had failed, before the connection came back. */
  waiting: number
  failed: number
  /** The same at the moment when it came back, until that is told. */
  back?: { waiting: number; failed: number } | undefined
  /** How much was sent since; undefined while some of it waits. */
  sentCount?: number | undefined
}

export const nothingKnown: Return = {
  isSeen: false,
  wasLive: false,
  wasOffline: false,
  waiting: 0,
  failed: 0,
}

/** What is known of a disconnection and its end after one more look. */
export function followReturn(before: Return, now: Situation): Return {
  return now.state === 'live' ? followLive(before, now) : followLoss(before, now)
}

function followLive(before: Return, { waiting, failed }: Situation): Return {
  const known = { ...before, isSeen: false, wasLive: true, wasOffline: false }
  if (before.isSeen) {
    known.back = { waiting: before.waiting, failed: before.failed }
    known.sentCount = undefined
  }
  const { back } = known
  if (!back || known.sentCount !== undefined || waiting > 0) return known
  return { ...known, sentCount: back.waiting - Math.max(0, failed - back.failed) }
}

function followLoss(before: Return, { state, isShown, waiting, failed }: Situation): Return {
  // Lost again before all was sent: what waited at first is still to be told.
  const untold = before.sentCount === undefined ? before.back : undefined
  const wasOffline = before.wasOffline || untold !== undefined || state === 'offline'
  const isLoss = state === 'offline' || (state === 'connecting' && before.wasLive)
  // On the way back from offline some may be sent already.
  const isLeaving = state === 'connecting' && wasOffline
  const waitedBefore = untold?.waiting ?? (isLeaving ? before.waiting : 0)
  return {
    isSeen: before.isSeen || untold !== undefined || (isShown && isLoss),
    wasLive: before.wasLive,
    wasOffline,
    waiting: Math.max(waitedBefore, waiting),
    failed: untold?.failed ?? failed,
  }
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
