import { shortcuts } from '../ui/shortcuts/shortcuts.ts'
import styles from './settings.module.css'

export function ShortcutList() {
  return (
    <dl className={styles.keys}>
      {Object.values(shortcuts).map(({ keys, does }) => (
        <div key={keys}>
          <dt>{does}</dt>
          <dd>{keys}</dd>
        </div>
      ))}
    </dl>
  )
}
