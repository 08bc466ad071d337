import type { QuietHours } from '../../schema/notifications/quiet-hours.ts'
import styles from './notifications.module.css'
import common from './settings.module.css'

/** When nothing notifies, each day, by the clock of the place where it was last set. */
export function QuietHoursChoice({
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
    <fieldset className={common.choice}>
      <legend>Quiet hours</legend>
      <label>
        <input
          type="checkbox"
          checked={value.isOn}
          onChange={({ target }) => change({ isOn: target.checked })}
        />
        No notifications during these hours
      </label>
      {value.isOn && (
        <div className={styles.times}>
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
        </div>
      )}
      <p className={common.note}>
        {isElsewhere
          ? `By the clock of ${value.timeZone.replaceAll('_', ' ')}.`
          : 'Messages still arrive, and wait for you in the app.'}
      </p>
    </fieldset>
  )
}
