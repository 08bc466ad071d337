import { type ReactNode, useEffect, useState } from 'react'
import type { ScannedDevice } from '../../../schema/api/device-link.ts'
import { unreachable } from '../../../schema/helpers/assertions.ts'
import { wordsOf } from '../../../schema/helpers/text.ts'
import { isPassing } from '../../api/api-error.ts'
import type { LinkingCalls } from '../../api/linking-calls.ts'
import { createLiveValue, type LiveValue } from '../../database/views/live-value.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { createBackOff } from '../../sync/platform/back-off.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { formatClockTime } from '../../ui/format/format-times.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import type { IconName } from '../../ui/icons/icon-paths.ts'
import { describeDevice } from '../describe-device.ts'
import styles from './linking.module.css'

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

export type ScanState =
  | { kind: 'checking' }
  /** `problem`: why the last answer did not reach the server. */
  | { kind: 'asks'; device: ScannedDevice; isBusy: boolean; problem?: string }
  | { kind: 'confirmed'; device: ScannedDevice }
  | { kind: 'done'; device: ScannedDevice }
  | { kind: 'declined' }
  | { kind: 'ended'; words: string }

interface Scan {
  state: LiveValue<ScanState>
  decide(isAllowed: boolean): void
  /** Tries at once what failed. */
  hurry(): void
  close(): void
}

/** A device whose code this person scanned: shows which one it is, and follows it to its end. */
export function createScan(options: {
  calls: Pick<LinkingCalls, 'scan' | 'watch' | 'decide'>
  id: string
}): Scan {
  const { calls, id } = options
  const state = createLiveValue<ScanState>({ kind: 'checking' })
  const backOff = createBackOff({ random: Math.random })
  const run = new AbortController()
  const { signal } = run

  function show(device: ScannedDevice) {
    const now = state.getSnapshot()
    if (device.state === 'done') state.set({ kind: 'done', device })
    else if (device.state === 'approved') state.set({ kind: 'confirmed', device })
    else if (now.kind === 'asks') state.set({ ...now, device })
    else state.set({ kind: 'asks', device, isBusy: false })
  }

  /** Repeats the call while nothing but the network keeps it from an answer. */
  async function ask(call: () => Promise<ScannedDevice>): Promise<ScannedDevice> {
    for (;;) {
      const attempt = await backOff.begin(signal)
      try {
        const device = await call()
        signal.throwIfAborted()
        backOff.succeed()
        return device
      } catch (cause) {
        signal.throwIfAborted()
        if (!isPassing(cause)) throw cause
        backOff.fail(attempt)
      }
    }
  }

  async function follow() {
    let device = await ask(() => calls.scan(id, { signal }))
    show(device)
    while (device.state !== 'done') {
      const { state: seen } = device
      device = await ask(() => calls.watch({ id, seen }, { signal }))
      show(device)
    }
  }

  function end(cause: unknown) {
    if (signal.aborted || state.getSnapshot().kind === 'declined') return
    state.set({ kind: 'ended', words: wordsOf(cause) })
  }

  async function decide(isAllowed: boolean) {
    const before = state.getSnapshot()
    if (before.kind !== 'asks' || before.isBusy) return
    state.set({ kind: 'asks', device: before.device, isBusy: true })
    try {
      await calls.decide({ id, isAllowed })
      if (!isAllowed) return state.set({ kind: 'declined' })
      const now = state.getSnapshot()
      // The device may have been quicker.
      if (now.kind === 'asks') state.set({ kind: 'confirmed', device: now.device })
    } catch (cause) {
      const { device } = before
      const isOpen = state.getSnapshot().kind === 'asks'
      if (!isOpen) return
      if (!isPassing(cause)) return end(cause)
      state.set({ kind: 'asks', device, isBusy: false, problem: wordsOf(cause) })
    }
  }

  follow().catch(end)
  return {
    state,
    decide: (isAllowed) => void decide(isAllowed),
    hurry: backOff.hurry,
    close() {
      run.abort()
      backOff.close()
    },
  }
}
