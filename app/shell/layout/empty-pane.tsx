import { lazy, Suspense, useState } from 'react'
import { Button, DownloadLink } from '../../ui/buttons/button.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { useServices } from '../session/services-context.ts'
import styles from './empty-pane.module.css'

const NewChat = lazy(() =>
  import('../open-chat/new-chat.tsx').then((module) => ({ default: module.NewChat })),
)

/** Shown beside the list while no conversation is open. Source: decision 61, section 2. */
export function EmptyPane() {
  const isEncrypted = useLiveValue(useServices().encryption.isMade)
  const [isNewChatOpen, setIsNewChatOpen] = useState(false)
  return (
    <section className={styles.pane} aria-label="No chat open">
      <BirdPicture className={styles.picture} />
      <h2>Choose a chat, or start a new one</h2>
      <Button aria-haspopup="dialog" onClick={() => setIsNewChatOpen(true)}>
        New chat
      </Button>
      <div className={styles.promo}>
        <div>
          <h3>Download WhatsApp for Windows</h3>
          <p>
            Make calls, share your screen and get a faster experience when you download the Windows
            app.
          </p>
        </div>
        <DownloadLink />
      </div>
      {isEncrypted && (
        <p className={styles.note}>
          <Icon name="lock" size={14} /> Your personal messages are end-to-end encrypted
        </p>
      )}
      {isNewChatOpen && (
        <Suspense fallback={null}>
          <NewChat start="people" onClose={() => setIsNewChatOpen(false)} />
        </Suspense>
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

/** The large picture of the empty pane: a petrel over the sea. */
function BirdPicture({ className }: { className: string | undefined }) {
  return (
    <svg className={className} viewBox="0 0 400 260" aria-hidden="true" focusable="false">
      <ellipse cx="200" cy="132" rx="176" ry="112" fill="var(--color-accent-soft)" />
      <path
        transform="translate(52 -12) scale(0.58)"
        fill="var(--color-accent)"
        d="M70 168C134 160 190 190 226 244C238 239 250 236 262 236C286 164 344 112 440 96C388 136 352 188 334 248C344 252 352 258 357 266L394 285L351 289C328 318 286 334 238 332L156 376L170 348L126 350L198 312C201 296 206 282 214 270C182 218 132 184 70 168Z"
      />
      <g fill="none" stroke="var(--color-accent)" strokeWidth="4" strokeLinecap="round">
        <path d="M30 230c28-16 54-16 80 0s54 16 82 0 56-16 84 0 56 16 92-2" opacity="0.5" />
        <path d="M92 250c20-10 38-10 56 0s38 10 56 0 38-10 56 0 34 8 48-2" opacity="0.3" />
      </g>
    </svg>
  )
}
