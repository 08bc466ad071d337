import { lazy, Suspense, useEffect, useState } from 'react'
import { InstallOffer } from '../../offline/install-offer.tsx'
import { UpdateOffer } from '../../offline/update-offer.tsx'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { NotificationOffer } from '../notifications/notification-offer.tsx'
import { useMessenger } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'
import { ConnectionNotice } from './connection-notice.tsx'
import { OutboxLine } from './outbox-link.tsx'
import { useConnectionWords } from './use-connection-words.ts'
import { useIsOutdated } from './use-is-outdated.ts'

const RefusedRequests = lazy(() =>
  import('../refused/refused-requests.tsx').then((module) => ({ default: module.RefusedRequests })),
)
const WaitingShare = lazy(() =>
  import('../sharing/waiting-share.tsx').then((module) => ({ default: module.WaitingShare })),
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
  const isApart = useConnectionWords() !== undefined
  const isOutdated = useIsOutdated()
  const hasUpdate = useLiveValue(update) !== 'none' && !isOutdated
  const hasRefused = useLivePart(messenger.requests.entries, (entries) =>
    entries.some(({ state }) => state === 'refused'),
  )
  if (hasUpdate) return <UpdateOffer update={update} />
  const isRefusalShown = hasRefused && !isApart
  const isOfferShown = !isApart && !hasRefused && !isShareWaiting
  return (
    <>
      <ConnectionNotice />
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
          otherwise={<InstallOffer offer={installOffer} />}
        />
      )}
    </>
  )
}
