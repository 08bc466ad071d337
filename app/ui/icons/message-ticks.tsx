import { useLayoutEffect, useRef, useState } from 'react'
import type { MessageStatus } from '../../../schema/message.ts'
import { joinClassNames } from '../styles/join-class-names.ts'
import { nameStatus } from '../text/describe-message.ts'
import styles from './message-ticks.module.css'

const clock = 'M9 3.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6ZM9 5.3V8l1.8 1.2'
const warning = 'M9 2.7 2.9 13h12.2L9 2.7ZM9 6.6v2.9M9 11.2v.01'
const firstTick = 'm1.5 8.6 3.2 3.2 6-7'
const secondTick = 'M8.7 11.6l.2.2 6-7'
const drawing = { duration: 240, easing: 'cubic-bezier(0.2, 0.8, 0.3, 1)' }

interface MessageTicksProps {
  status: MessageStatus
  isWhatsApp?: boolean | undefined
}

/**
 * The delivery status of an own message: a clock, one tick, two ticks, or a warning. Ticks of a
 * read message are blue, green if it went over WhatsApp. Give each message its own by a `key`: only
 * what a change adds is drawn in.
 */
export function MessageTicks({ status, isWhatsApp }: MessageTicksProps) {
  const [firstStatus] = useState(status)
  const hasChanged = status !== firstStatus
  return (
    <svg
      className={joinClassNames(
        styles.ticks,
        status === 'read' && (isWhatsApp ? styles.readOnWhatsApp : styles.read),
        status === 'failed' && styles.failed,
      )}
      data-status={status}
      width="18"
      height="16"
      viewBox="0 0 17.5 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      role="img"
      aria-label={nameStatus(status)}
    >
      {status === 'sending' ? (
        <path d={clock} />
      ) : status === 'failed' ? (
        <path d={warning} />
      ) : (
        <>
          <Tick d={firstTick} isDrawnIn={hasChanged} />
          {status !== 'sent' && <Tick d={secondTick} isDrawnIn={hasChanged} />}
        </>
      )}
    </svg>
  )
}

/** One stroke. The script draws it in, once: a style would again with each showing of a hidden list. */
function Tick({ d, isDrawnIn }: { d: string; isDrawnIn: boolean }) {
  const path = useRef<SVGPathElement>(null)
  const isNew = useRef(isDrawnIn)
  useLayoutEffect(() => {
    if (!isNew.current || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    isNew.current = false
    path.current?.animate({ strokeDasharray: ['1', '1'], strokeDashoffset: ['1', '0'] }, drawing)
  }, [])
  return <path ref={path} d={d} pathLength={1} className={styles.tick} />
}
