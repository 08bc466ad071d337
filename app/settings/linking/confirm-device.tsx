import { type ReactNode, useEffect, useState } from 'react'
import type { ScannedDevice } from '../../../schema/api/device-link.ts'
import { unreachable } from '../../../schema/helpers/unreachable.ts'
import type { LinkingCalls } from '../../api/linking-calls.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { formatClockTime } from '../../ui/format/format-clock-time.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import type { IconName } from '../../ui/icons/icon-paths.ts'
import { describeDevice } from '../describe-device.ts'
import styles from './linking.module.css'
import { createScan, type Scan } from './scanned-device.ts'

interface ConfirmDeviceProps {
  messenger: Pick<Messenger, 'connection'>
  calls: LinkingCalls
  /** From the scanned code. */
  id: string
  /** Leaves the question: the list of devices is next. */
  onDone(): void
  onScanAgain(): void
}

/** Shows which device asks to be signed in; nothing happens before this person confirms. */
export function ConfirmDevice({ messenger, calls, id, ...ways }: ConfirmDeviceProps) {
  const [scan, setScan] = useState<Scan>()
  const isOffline = useLivePart(messenger.connection, ({ state }) => state === 'offline')
  useEffect(() => {
    const scan = createScan({ calls, id })
    setScan(scan)
    addEventListener('online', scan.hurry)
    return () => {
      removeEventListener('online', scan.hurry)
      scan.close()
    }
  }, [calls, id])
  return scan ? (
    <ScannedView scan={scan} isOffline={isOffline} {...ways} />
  ) : (
    <Card icon="device">Checking the code…</Card>
  )
}

interface ScannedViewProps extends Pick<ConfirmDeviceProps, 'onDone' | 'onScanAgain'> {
  scan: Scan
  isOffline: boolean
}

function ScannedView({ scan, isOffline, onDone, onScanAgain }: ScannedViewProps) {
  const state = useLiveValue(scan.state)
  const done = <Button onClick={onDone}>Done</Button>
  switch (state.kind) {
    case 'checking':
      return <Card icon="device">{isOffline ? checkedLater : 'Checking the code…'}</Card>
    case 'asks':
      return <Question {...state} isOffline={isOffline} onDecide={scan.decide} />
    case 'confirmed':
      return (
        <Card icon="check" action={done}>
          Confirmed. {describeDevice(state.device.device)} is signing in…
        </Card>
      )
    case 'done':
      return (
        <Card icon="check" action={done}>
          {describeDevice(state.device.device)} is signed in.
        </Card>
      )
    case 'declined':
      return (
        <Card icon="shield" action={done}>
          The device was not signed in.
        </Card>
      )
    case 'ended':
      return (
        <Card icon="warning" action={<Button onClick={onScanAgain}>Scan another code</Button>}>
          {state.words}
        </Card>
      )
    default:
      return unreachable(state)
  }
}

interface QuestionProps {
  device: ScannedDevice
  isBusy: boolean
  problem?: string
  isOffline: boolean
  onDecide(isAllowed: boolean): void
}

function Question({ device, isBusy, problem, isOffline, onDecide }: QuestionProps) {
  return (
    <section className={styles.card} aria-labelledby="asking-device">
      <Icon name="device" size={48} />
      <h2 id="asking-device">Sign in on {describeDevice(device.device)}?</h2>
      <dl className={styles.facts}>
        <div>
          <dt>Network</dt>
          <dd>{device.isSameNetwork ? 'Same as this device' : 'Not the one this device is in'}</dd>
        </div>
        <div>
          <dt>Code shown</dt>
          <dd>at {formatClockTime(Date.parse(device.startedAt))}</dd>
        </div>
      </dl>
      <p className={styles.hint}>
        It will have all your chats. Only confirm if the code is on a screen in front of you.
      </p>
      <p className={styles.problem} role="alert">
        {problem && isOffline ? offlineWords : problem}
      </p>
      <div className={styles.buttons}>
        <Button look="quiet" isBusy={isBusy} onClick={() => onDecide(false)}>
          Decline
        </Button>
        <Button isBusy={isBusy} onClick={() => onDecide(true)}>
          Link device
        </Button>
      </div>
    </section>
  )
}

const checkedLater = "You're offline. The code is checked when you're back."
const offlineWords = "You're offline. Answering needs a connection."

function Card(props: { icon: IconName; children: ReactNode; action?: ReactNode }) {
  return (
    <section className={styles.card}>
      <Icon name={props.icon} size={48} />
      <p className={styles.words} role="status">
        {props.children}
      </p>
      {props.action}
    </section>
  )
}
