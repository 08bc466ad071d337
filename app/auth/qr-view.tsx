import { productName } from '../ui/product.ts'
import { CheckBox } from './check-box.tsx'
import form from './form.module.css'
import { QrCode } from './qr-code.tsx'
import styles from './qr-view.module.css'

interface QrViewProps {
  /** The URL of this app, encoded for the phone. */
  address: string
  keepSignedIn: boolean
  onKeepSignedIn(isKept: boolean): void
  onUseForm(): void
}

export function QrView({ address, keepSignedIn, onKeepSignedIn, onUseForm }: QrViewProps) {
  return (
    <div className={styles.view}>
      <div>
        <h1 className={styles.heading}>Steps to log in</h1>
        <ol className={styles.steps}>
          <li>Open {productName} on your phone</li>
          <li>Open Menu or Settings</li>
          <li>Tap Linked devices, then Link device</li>
          <li>Point your phone at this screen to scan the QR code</li>
        </ol>
      </div>
      <div className={styles.code}>
        <QrCode text={address} label={`QR code that opens ${productName} on your phone`} />
        <p className={styles.note}>Scan to open {productName} on your phone.</p>
      </div>
      <div className={styles.foot}>
        <CheckBox
          label="Stay logged in on this browser"
          isChecked={keepSignedIn}
          onChange={onKeepSignedIn}
        />
        <button type="button" className={form.link} onClick={onUseForm}>
          Log in with phone number
        </button>
      </div>
    </div>
  )
}
