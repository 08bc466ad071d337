import { Link } from 'react-router-dom'
import { Icon } from '../ui/icons/icon.tsx'
import { productName } from '../ui/product.ts'
import styles from './settings.module.css'

export function LinkedDevicesLink() {
  return (
    <div className={styles.entry}>
      <Link className={styles.link} to="/link">
        <Icon name="device" />
        <span className={styles.words}>
          <span>Linked devices</span>
          <small>Use {productName} on another device without your password</small>
        </span>
        <Icon name="right" size={18} />
      </Link>
    </div>
  )
}
