import { lazy, Suspense, useEffect, useState } from 'react'
import { Link } from 'react-router-dom'
import { UpdateOffer } from '../../offline/update-notices.tsx'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { NotificationOffer } from '../notifications/notification-offer.tsx'
import { useKeyTask, useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'
import { ConnectionNotice, useIsOutdated } from './connection-notice.tsx'
import styles from './outbox-link.module.css'
import { OutboxLine } from './outbox-link.tsx'
import { useConnectionWords } from './use-connection-words.ts'

const RefusedRequests = lazy(() =>
  import('./refused-requests.tsx').then((module) => ({ default: module.RefusedRequests })),
)
const InstallOffer = lazy(() =>
  import('../../offline/install-offer.tsx').then((module) => ({ default: module.InstallOffer })),
)
const WaitingShare = lazy(() =>
  import('./waiting-share.tsx').then((module) => ({ default: module.WaitingShare })),
)
/** Delay before looking for shared items, so that the list renders first. */
const shareAfterMs = 1_000

/**
 * One line above the list, for the most important of: an update that is needed, a newer version,
 * the connection, refused requests, an offer.
 */
export function ListNotices() {
  const { update, installOffer, notifications } = useServices()
  const messenger = useMessenger()
  const [looksForShare, setLooksForShare] = useState(false)
  const [isShareWaiting, setIsShareWaiting] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLooksForShare(true), shareAfterMs)
    return () => clearTimeout(timer)
  }, [])
  const keyTask = useKeyTask()
  const isApart = useConnectionWords() !== undefined
  const isOutdated = useIsOutdated()
  const hasUpdate = useLiveValue(update) !== 'none' && !isOutdated
  const hasRefused = useLivePart(messenger.requests.entries, (entries) =>
    entries.some(({ state }) => state === 'refused'),
  )
  const hasInstall = useLiveValue(installOffer) !== 'none'
  if (hasUpdate) return <UpdateOffer update={update} />
  const isRefusalShown = hasRefused && !isApart
  const isOfferShown = !isApart && !hasRefused && !isShareWaiting
  return (
    <>
      <ConnectionNotice />
      {keyTask === 'unlock' && (
        <Link className={styles.line} to="/settings/security">
          <Icon name="lock" size={16} />
          <span>Your messages are locked on this device. Unlock them</span>
          <Icon name="right" size={16} />
        </Link>
      )}
      {(!isApart || isOutdated) && <OutboxLine isRefusalShown={isRefusalShown} />}
      <div role="status">
        {isRefusalShown && (
          <Suspense fallback={null}>
            <RefusedRequests messenger={messenger} />
          </Suspense>
        )}
      </div>
      {looksForShare && (
        <Suspense fallback={null}>
          <WaitingShare onWaiting={setIsShareWaiting} />
        </Suspense>
      )}
      {isOfferShown && (
        <NotificationOffer
          messenger={messenger}
          choice={notifications}
          otherwise={
            <Suspense fallback={null}>
              {hasInstall && <InstallOffer offer={installOffer} />}
            </Suspense>
          }
        />
      )}
    </>
  )
}
