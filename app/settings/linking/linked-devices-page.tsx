import { useState } from 'react'
import type { LinkingCalls } from '../../api/linking-calls.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Icon } from '../../ui/icons/icon.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { productName } from '../../ui/product.ts'
import { SecuritySection, type SecuritySectionProps } from '../security-section.tsx'
import { CodeScanner } from './code-scanner.tsx'
import { ConfirmDevice } from './confirm-device.tsx'
import styles from './linking.module.css'

interface LinkedDevicesPageProps extends SecuritySectionProps {
  messenger: Pick<Messenger, 'connection'>
  calls: LinkingCalls
  /** The device whose code was scanned, if one was. */
  deviceId: string | undefined
  /** Called with a scanned code, or without one to forget it. */
  onDevice(id: string | undefined): void
  onBack(): void
}

/** 'Linked devices': links another one by its code, and lists those that are signed in. */
export function LinkedDevicesPage(props: LinkedDevicesPageProps) {
  return (
    <Page title="Linked devices" backLabel="Back" onBack={props.onBack}>
      <Body {...props} />
    </Page>
  )
}

function Body({ messenger, calls, deviceId, onDevice, signIns }: LinkedDevicesPageProps) {
  const [isScanning, setIsScanning] = useState(false)
  const open = (id: string | undefined, scans: boolean) => {
    setIsScanning(scans)
    if (id !== deviceId) onDevice(id)
  }
  if (deviceId !== undefined) {
    return (
      <ConfirmDevice
        key={deviceId}
        messenger={messenger}
        calls={calls}
        id={deviceId}
        onDone={() => open(undefined, false)}
        onScanAgain={() => open(undefined, true)}
      />
    )
  }
  if (isScanning) {
    return <CodeScanner onCode={(id) => open(id, false)} onCancel={() => setIsScanning(false)} />
  }
  return (
    <>
      <section className={styles.intro}>
        <Icon name="device" size={48} />
        <p>Use {productName} on another device without typing your password there.</p>
        <Button onClick={() => setIsScanning(true)}>
          <Icon name="qr" size={20} />
          Link device
        </Button>
      </section>
      <SecuritySection signIns={signIns} />
    </>
  )
}
