import { type FormEvent, useState } from 'react'
import type { LinkingCalls } from '../../api/linking-calls.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { CodeCamera } from '../../ui/codes/code-camera.tsx'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { productName } from '../../ui/product.ts'
import { SecuritySection, type SecuritySectionProps } from '../security-section.tsx'
import { ConfirmDevice } from './confirm-device.tsx'
import styles from './linking.module.css'
import { readDeviceCode } from './read-device-code.ts'

const noCode = 'This isn’t a sign-in code. Open Petrel on the other device and scan the code there.'

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

function Body({ messenger, calls, deviceId, onDevice, signIns, isSealed }: LinkedDevicesPageProps) {
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
      <SecuritySection signIns={signIns} isSealed={isSealed} />
    </>
  )
}

interface CodeScannerProps {
  /** Called with the id in a code. */
  onCode(id: string): void
  onCancel(): void
}

/** Reads the code of a new device by the camera, or from a pasted link. */
function CodeScanner({ onCode, onCancel }: CodeScannerProps) {
  const [problem, setProblem] = useState<string>()
  const [link, setLink] = useState('')
  const take = useLatest((text: string) => {
    const id = readDeviceCode(text)
    if (id) onCode(id)
    else setProblem(noCode)
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    take.current(link)
  }

  return (
    <section className={styles.scanner} aria-label="Link device">
      <CodeCamera
        hint="Point the camera at the code on the other device’s sign-in screen."
        problemHint="Paste the link instead."
        onText={(text) => take.current(text)}
      />
      <form className={styles.paste} onSubmit={onSubmit}>
        <label>
          Link from the other device
          <input
            value={link}
            placeholder="https://…/link#…"
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setLink(event.target.value)
              setProblem(undefined)
            }}
          />
        </label>
        <p className={styles.problem} role="alert">
          {problem}
        </p>
        <div className={styles.buttons}>
          <Button look="quiet" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" disabled={link.trim() === ''}>
            Continue
          </Button>
        </div>
      </form>
    </section>
  )
}
