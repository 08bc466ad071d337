import type { ReactNode } from 'react'
import { Icon } from '../ui/icons/icon.tsx'
import { PetrelMark } from '../ui/icons/petrel-mark.tsx'
import { productName } from '../ui/product.ts'
import styles from './auth-frame.module.css'

interface AuthFrameProps {
  children: ReactNode
  /** Does the server take sealed messages? Else the page does not speak of encryption. */
  isEncrypted: boolean
  /** Shown above the rest. */
  notice?: ReactNode
  /** Shown above the note at the bottom. */
  footer?: ReactNode
}

/** The brand bar and the bottom note, shared by sign-in and registration. */
export function AuthFrame({ children, isEncrypted, notice, footer }: AuthFrameProps) {
  return (
    <div className={styles.page}>
      <header className={styles.bar}>
        <PetrelMark size={34} />
        {productName}
      </header>
      <main className={styles.main}>
        {notice && <div className={styles.notice}>{notice}</div>}
        {children}
      </main>
      <footer className={styles.foot}>
        {footer}
        {/* Keeps its room: the server's first answer moves nothing. */}
        <p className={styles.encrypted}>
          {isEncrypted && (
            <>
              <Icon name="lock" size={14} /> Your personal messages are end-to-end encrypted
            </>
          )}
        </p>
      </footer>
    </div>
  )
}
