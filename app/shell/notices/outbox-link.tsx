import { Link } from 'react-router-dom'
import type { OutboxCounts } from '../../sync/outbox/outbox-types.ts'
import { useLasting } from '../../ui/hooks/use-lasting.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import styles from './outbox-link.module.css'

/** What is sent within this time was not waiting. */
const waitingAfterMs = 4_000

/** How much waits and was refused, as a link to all of it; nothing when there is nothing. */
export function OutboxLink({ before = '' }: { before?: string }) {
  const words = describeCounts(useLiveValue(useMessenger().outbox))
  if (words === '') return null
  return (
    <>
      {/* What is counted never stands alone on a line of its own. */}
      {before.replace(/ $/, '\u00a0')}
      <Link className={styles.link} to="/outbox">
        {words}
      </Link>
    </>
  )
}

/** The same as a quiet line of its own. A message that is being sent does not make it flash. */
export function OutboxLine({ isRefusalShown }: { isRefusalShown: boolean }) {
  const { waiting, failed } = useLiveValue(useMessenger().outbox)
  const isWaiting = useLasting(waiting > 0, waitingAfterMs)
  const words = describeCounts({ waiting: isWaiting ? waiting : 0, failed })
  // The refused requests are listed right here already.
  if (words === '' || (isRefusalShown && failed === 1 && !isWaiting)) return null
  return (
    <Link className={styles.line} to="/outbox" data-failed={failed > 0 || undefined}>
      <Icon name={failed > 0 ? 'warning' : 'clock'} size={16} />
      <span>{words}</span>
      <Icon name="right" size={16} />
    </Link>
  )
}

/** Such as '2 waiting · 1 not sent'; empty when there is nothing. */
function describeCounts({ waiting, failed }: OutboxCounts): string {
  const parts = [
    ...(waiting > 0 ? [`${waiting.toLocaleString('en')} waiting`] : []),
    ...(failed > 0 ? [`${failed.toLocaleString('en')} not sent`] : []),
  ]
  return parts.join(' · ')
}
