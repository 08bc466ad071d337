import { useLocation, useNavigate } from 'react-router-dom'
import { isSealing } from '../../settings/encryption-section.tsx'
import { LinkedDevicesPage } from '../../settings/linking/linked-devices-page.tsx'
import { readDeviceCode } from '../../settings/linking/read-device-code.ts'
import { PageFrame } from '../layout/page-frame.tsx'
import { useWayUp } from '../navigation/use-way-up.tsx'
import { useKeyState, useMessenger, useSignIns } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'

/** 'Linked devices'; the link in a device's code carries its id behind the `#`, which no log sees. */
export function LinkRoute() {
  const { linking } = useServices()
  const messenger = useMessenger()
  const { hash } = useLocation()
  const navigate = useNavigate()
  const goUp = useWayUp()
  const signIns = useSignIns()
  const encryption = useKeyState()
  return (
    <PageFrame section="settings" title="Linked devices">
      <LinkedDevicesPage
        calls={linking}
        messenger={messenger}
        signIns={signIns}
        isSealed={isSealing(encryption)}
        deviceId={readDeviceCode(hash)}
        onDevice={(id) => void navigate(id ? `/link#${id}` : '/link', { replace: true })}
        onBack={() => goUp({ to: '/chat', fits: (path) => path.startsWith('/settings') })}
      />
    </PageFrame>
  )
}
