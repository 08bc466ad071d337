import { type ReactNode, useState } from 'react'
import { Button } from '../buttons/button.tsx'
import { Icon } from '../icons/icon.tsx'
import { productName } from '../product.ts'
import { copyText } from '../text/copy-text.ts'
import styles from './invite-card.module.css'
import { QrCode } from './qr-code.tsx'

interface InviteCardProps {
  /** Opens the chat with the person who invites, or leads into a group. */
  address: string
  /** What opening the link does. */
  about: string
  /** Of the code, for people who cannot see it. */
  label?: string
  /** What is shared with the address. */
  words?: string
  /** Stands beneath what is said about the link. */
  children?: ReactNode
  /** Where the card stands in a dialog. */
  onClose?(): void
}

/** An invite link: as a code to scan, to copy, and to share where the browser can. */
export function InviteCard(props: InviteCardProps) {
  const { address, about, onClose, label = 'QR code of your invite link' } = props
  const { words: sharedWords = `Chat with me on ${productName}` } = props
  const [words, setWords] = useState('')
  const canShare = typeof navigator.share === 'function'
  const copy = async () => {
    setWords((await copyText(address)) ? 'Link copied' : 'Couldn’t copy the link')
  }
  const share = async () => {
    try {
      await navigator.share({ text: sharedWords, url: address })
    } catch (cause) {
      // Whoever closes the system's sheet has changed their mind.
      if (!(cause instanceof DOMException && cause.name === 'AbortError')) {
        setWords('Couldn’t share the link. Copy it instead.')
      }
    }
  }
  return (
    <div className={styles.card}>
      <QrCode text={address} label={label} />
      <p className={styles.address}>{address}</p>
      <p className={styles.words} role="status">
        {words || about}
      </p>
      {props.children}
      <div className={styles.buttons}>
        {onClose && (
          <Button look="quiet" onClick={onClose}>
            Close
          </Button>
        )}
        {canShare && (
          <Button look="quiet" onClick={() => void share()}>
            <Icon name="share" size={20} />
            Share
          </Button>
        )}
        <Button onClick={() => void copy()}>
          <Icon name="copy" size={20} />
          Copy link
        </Button>
      </div>
    </div>
  )
}
