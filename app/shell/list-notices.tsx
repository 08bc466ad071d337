import { InstallOffer } from '../offline/install-offer.tsx'
import { UpdateOffer } from '../offline/update-offer.tsx'
import { ConnectionNotice } from './connection-notice.tsx'
import { useMessenger } from './messenger-context.tsx'
import { NotificationOffer } from './notifications/notification-offer.tsx'
import { useServices } from './services.ts'

/** The quiet lines above the list: the connection, a newer version, one offer at a time. */
export function ListNotices() {
  const { update, installOffer, notifications } = useServices()
  return (
    <>
      <ConnectionNotice />
      <UpdateOffer update={update} />
      <NotificationOffer
        messenger={useMessenger()}
        choice={notifications}
        otherwise={<InstallOffer offer={installOffer} />}
      />
    </>
  )
}
