import type { ReactNode } from 'react'
import type { QuietHours } from '../../schema/quiet-hours.ts'
import type { Settings } from '../../schema/settings.ts'
import type { OwnSettings } from '../sync/own-settings.ts'
import { Button } from '../ui/buttons/button.tsx'
import { type LiveSource, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { productName } from '../ui/product.ts'
import styles from './notifications.module.css'
import { ChoiceList, SwitchRow } from './radio-choice.tsx'
import common from './settings.module.css'

type State = 'install' | 'unsupported' | 'ask' | 'on' | 'off' | 'blocked'
type PushState = 'off' | 'on' | 'no-worker' | 'no-service' | 'passing' | 'unreachable'

export interface NotificationsSectionProps {
  notifications: LiveSource<State> & { turnOn(): Promise<void>; turnOff(): void }
  /** Do notifications come while the app is closed? */
  push: LiveSource<PushState>
  settings: OwnSettings
  /** How to install the app where only that brings notifications. */
  installSteps: ReactNode
}

const words: Record<Exclude<State, 'on'>, string> = {
  install: `To get notifications on this iPhone or iPad, install ${productName} first:`,
  unsupported: "This browser can't show notifications here.",
  ask: 'Notifications are off on this device.',
  off: 'Notifications are off on this device.',
  blocked:
    "Your browser blocks notifications from this address. Allow them in the browser's settings.",
}

const openWords = `You'll be notified while ${productName} is open in the background.`

/** Why not while the app is closed, and what to do about it. */
const reasons: Record<Exclude<PushState, 'on'>, string | undefined> = {
  off: undefined,
  'no-worker': `For notifications while ${productName} is closed, open it over HTTPS.`,
  'no-service': `This browser can't receive notifications while ${productName} is closed.`,
  passing: `For notifications while ${productName} is closed, sign in with “Keep me signed in”.`,
  unreachable: `Your browser couldn't set up notifications for when ${productName} is closed. ${productName} tries again at its next start.`,
}

/** Notifications of new messages. Muted chats show none. */
export function NotificationsSection(props: NotificationsSectionProps) {
  const { notifications, push } = props
  const state = useLiveValue(notifications)
  const pushed = useLiveValue(push)
  const settings = useLiveValue(props.settings.values)
  const set = (change: Partial<Settings>) => void props.settings.set(change)
  return (
    <>
      <section className={common.stack}>
        <div role="status" className={styles.state}>
          <p>{state === 'on' ? describeOn(pushed) : words[state]}</p>
          {state === 'on' && pushed !== 'on' && reasons[pushed] && (
            <p className={styles.reason}>{reasons[pushed]}</p>
          )}
        </div>
        {state === 'install' && props.installSteps}
        {(state === 'ask' || state === 'off') && (
          <Button onClick={() => void notifications.turnOn()}>Turn on notifications</Button>
        )}
        {state === 'on' && (
          <Button look="quiet" onClick={notifications.turnOff}>
            Turn off notifications
          </Button>
        )}
      </section>
      <h2 className={common.heading}>On all your devices</h2>
      <ChoiceList
        choices={[
          {
            name: 'Play a sound',
            isOn: settings.notificationSound,
            onChange: (notificationSound) => set({ notificationSound }),
          },
          {
            name: 'Show what was written',
            note: 'Without it, notifications say who wrote, and no text leaves the server with them.',
            isOn: settings.notificationPreview === 'shown',
            onChange: (isShown) => set({ notificationPreview: isShown ? 'shown' : 'hidden' }),
          },
        ]}
      />
      <QuietHoursChoice
        value={settings.quietHours}
        onChange={(quietHours) => set({ quietHours })}
      />
    </>
  )
}

function describeOn(pushed: PushState): string {
  if (pushed !== 'on') return openWords
  return `You'll be notified on this device, even when ${productName} is closed.`
}

/** When nothing notifies, each day, by the clock of the place where it was last set. */
function QuietHoursChoice({
  value,
  onChange,
}: {
  value: QuietHours
  onChange(value: QuietHours): void
}) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  const change = (part: Partial<QuietHours>) => onChange({ ...value, ...part, timeZone: here })
  // An emptied field has no time: the last one stays.
  const setTime = (part: 'from' | 'to', time: string) => time && change({ [part]: time })
  const isElsewhere = value.isOn && value.timeZone !== '' && value.timeZone !== here
  return (
    <>
      <SwitchRow
        name="Quiet hours"
        note="No notifications during these hours"
        isOn={value.isOn}
        onChange={(isOn) => change({ isOn })}
      />
      {value.isOn && (
        <fieldset className={styles.times} aria-label="Quiet hours">
          <label>
            From
            <input
              type="time"
              required
              value={value.from}
              onChange={({ target }) => setTime('from', target.value)}
            />
          </label>
          <label>
            to
            <input
              type="time"
              required
              value={value.to}
              onChange={({ target }) => setTime('to', target.value)}
            />
          </label>
        </fieldset>
      )}
      <p className={common.note}>
        {isElsewhere
          ? `By the clock of ${value.timeZone.replaceAll('_', ' ')}.`
          : 'Messages still arrive, and wait for you in the app.'}
      </p>
    </>
  )
}
