import { useSendsOnEnter } from '../ui/settings/use-sends-on-enter.ts'
import { listShortcuts } from '../ui/shortcuts/shortcuts.ts'
import styles from './settings.module.css'

export function ShortcutList() {
  const sendsOnEnter = useSendsOnEnter()
  return (
    <dl className={styles.keys}>
      {listShortcuts(sendsOnEnter).map(({ keys, does }) => (
        <div key={keys}>
          <dt>{does}</dt>
          <dd>{keys}</dd>
        </div>
      ))}
    </dl>
  )
}
