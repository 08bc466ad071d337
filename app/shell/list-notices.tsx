import { lazy, Suspense } from 'react'
import { InstallOffer } from '../offline/install-offer.tsx'
import { UpdateOffer } from '../offline/update-offer.tsx'
import { useLivePart } from '../ui/use-live-value.ts'
import { ConnectionNotice } from './connection-notice.tsx'
import { useMessenger } from './messenger-context.tsx'
import { NotificationOffer } from './notifications/notification-offer.tsx'
import { useServices } from './services.ts'

const RefusedRequests = lazy(() =>
  import('./refused/refused-requests.tsx').then((module) => ({ default: module.RefusedRequests })),
)

/** The quiet lines above the list: the connection, what was refused, a newer version, one offer at a time. */
export function ListNotices() {
  const { update, installOffer, notifications } = useServices()
  const messenger = useMessenger()
  const hasRefused = useLivePart(messenger.requests.entries, (entries) =>
    entries.some(({ state }) => state === 'refused'),
  )
  return (
    <>
      <ConnectionNotice />
      <div role="status">
        {hasRefused && (
          <Suspense fallback={null}>
            <RefusedRequests messenger={messenger} />
          </Suspense>
        )}
      </div>
      <UpdateOffer update={update} />
      <NotificationOffer
        messenger={messenger}
        choice={notifications}
        otherwise={<InstallOffer offer={installOffer} />}
      />
    </>
  )
}
