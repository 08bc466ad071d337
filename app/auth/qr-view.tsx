import { productName } from '../ui/product.ts'
import { CheckBox } from './check-box.tsx'
import { LinkingCode, type LinkingCodeProps } from './linking/linking-code.tsx'
import styles from './qr-view.module.css'
import form from './styles/form.module.css'

interface QrViewProps extends Pick<LinkingCodeProps, 'calls' | 'onSignedIn'> {
  keepSignedIn: boolean
  onKeepSignedIn(isKept: boolean): void
  onUseForm(): void
}

export function QrView(props: QrViewProps) {
  const { calls, onSignedIn, keepSignedIn, onKeepSignedIn, onUseForm } = props
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
      <LinkingCode calls={calls} keepSignedIn={keepSignedIn} onSignedIn={onSignedIn} />
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
