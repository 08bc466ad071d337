import { productName } from '../ui/product.ts'
import styles from './settings.module.css'
import { SettingsRow } from './settings-row.tsx'

export function LinkedDevicesLink() {
  return (
    <div className={styles.entry}>
      <SettingsRow icon="device" name="Linked devices" to="/link">
        Use {productName} on another device without your password
      </SettingsRow>
    </div>
  )
}
