import { DownloadLink } from '../../ui/buttons/button.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { useServices } from '../session/services-context.ts'
import styles from './empty-pane.module.css'

/** Shown beside the list while no conversation is open. Source: decision 61, section 2. */
export function EmptyPane() {
  const isEncrypted = useLiveValue(useServices().encryption.isMade)
  return (
    <section className={styles.pane} aria-label="No chat open">
      <StormPicture className={styles.picture} />
      <h2>Download WhatsApp for Windows</h2>
      <p className={styles.text}>
        Make calls, share your screen and get a faster experience when you download the Windows app.
      </p>
      <DownloadLink />
      {isEncrypted && (
        <p className={styles.note}>
          <Icon name="lock" size={14} /> Your personal messages are end-to-end encrypted
        </p>
      )}
    </section>
  )
}

/** Shown beside the panel of the settings. Source: decision 61, section 2. */
export function SettingsPane() {
  return (
    <section className={styles.pane} aria-label="No setting open">
      <span className={styles.icon}>
        <Icon name="settings" size={72} />
      </span>
      <h2>Settings</h2>
    </section>
  )
}

/** The large picture of the empty pane: a laptop on the sea, and a petrel over it. */
function StormPicture({ className }: { className: string | undefined }) {
  return (
    <svg className={className} viewBox="0 0 400 260" aria-hidden="true" focusable="false">
      <ellipse cx="200" cy="132" rx="176" ry="112" fill="var(--color-accent-soft)" />
      <rect
        x="104"
        y="62"
        width="192"
        height="124"
        rx="12"
        fill="var(--color-panel)"
        stroke="var(--color-accent)"
        strokeWidth="4"
      />
      <path
        d="M84 190h232l14 18a8 8 0 0 1-6 12H76a8 8 0 0 1-6-12z"
        fill="var(--color-panel)"
        stroke="var(--color-accent)"
        strokeWidth="4"
        strokeLinejoin="round"
      />
      <rect x="122" y="82" width="70" height="20" rx="10" fill="var(--color-hairline)" />
      <rect x="208" y="110" width="70" height="20" rx="10" fill="var(--color-bubble-out)" />
      <rect x="122" y="138" width="96" height="20" rx="10" fill="var(--color-hairline)" />
      <path
        d="M30 236c28-16 54-16 80 0s54 16 82 0 56-16 84 0 56 16 92-2"
        fill="none"
        stroke="var(--color-accent)"
        strokeWidth="4"
        strokeLinecap="round"
        opacity="0.5"
      />
      <path
        transform="translate(236 4) scale(0.3)"
        fill="var(--color-accent)"
        d="M70 168C134 160 190 190 226 244C238 239 250 236 262 236C286 164 344 112 440 96C388 136 352 188 334 248C344 252 352 258 357 266L394 285L351 289C328 318 286 334 238 332L156 376L170 348L126 350L198 312C201 296 206 282 214 270C182 218 132 184 70 168Z"
      />
    </svg>
  )
}
