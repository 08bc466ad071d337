import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { KnownPerson } from '../database/storage/known-person.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { useAttempt } from '../ui/dialogs/use-attempt.tsx'
import { useLivePart, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { findFocusPath, focusFirst } from '../ui/layers/find-focus-path.ts'
import { useEscape } from '../ui/layers/use-escape.ts'
import { useKeptFocus } from '../ui/layers/use-kept-focus.ts'
import { Avatar } from '../ui/people/avatar.tsx'
import { usePicture } from '../ui/people/picture-source.ts'
import { usePresenceWords } from '../ui/people/use-presence-words.ts'
import page from '../ui/styles/chat-page.module.css'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import styles from './contact-panel.module.css'
import { PictureDialog } from './dialogs/picture-dialog.tsx'
import { MuteRow } from './mute-row.tsx'
import { PanelRow } from './panel-row.tsx'
import { RiskyActions } from './risky-actions.tsx'
import { StarredRow } from './starred-row.tsx'

export interface ContactPanelProps {
  messenger: Messenger
  peerId: string
  /** Does it take the chat's place? Else it lies beside the chat. */
  isPage: boolean
  /** Back to the chat. */
  onClose(): void
  onSearch(): void
  onOpenMedia(): void
  onGoToMessage(messageId: string): void
  /** The chat was deleted: there is nothing to return to. */
  onDeleted(): void
}

/** Everything about the other person of a chat, from what this device knows. */
export function ContactPanel(props: ContactPanelProps) {
  const { messenger, peerId, isPage, onClose } = props
  const peer = useLiveValue(messenger.users.get(peerId))
  const row = useLivePart(messenger.conversations, (rows) =>
    rows.find((each) => each.peerId === peerId),
  )
  const isBlocked = useLivePart(messenger.blocked, (ids) => ids.includes(peerId))
  const { attempt, failure } = useAttempt()
  const heading = useFocusWhileOpen()
  const panel = useRef<HTMLElement>(null)
  useKeptFocus(panel)
  useEscape(true, onClose)
  useEffect(() => {
    // What the device knows is shown meanwhile, and without a network it is all there is.
    messenger.users.load(peerId).catch(() => {})
  }, [messenger, peerId])
  const isGone = Boolean(peer?.isDeleted)
  const shared = { messenger, peerId, name: peer?.username ?? 'Unknown', attempt }
  return (
    <section className={page.page} aria-label="Contact info" ref={panel}>
      <header className={joinClassNames(page.header, styles.header)}>
        <IconButton
          icon={isPage ? 'back' : 'close'}
          label={isPage ? 'Back to chat' : 'Close contact info'}
          onClick={onClose}
        />
        <h2 ref={heading} tabIndex={-1}>
          Contact info
        </h2>
      </header>
      <div className={styles.body}>
        <Face messenger={messenger} peerId={peerId} peer={peer} />
        {!isGone && <Facts peer={peer} />}
        <ul className={styles.rows}>
          <PanelRow
            icon="picture"
            label="Media, files and links"
            onClick={props.onOpenMedia}
            isWay
          />
          <StarredRow {...shared} onGoToMessage={props.onGoToMessage} />
          <PanelRow icon="search" label="Search in this chat" onClick={props.onSearch} />
          {!isGone && row && <MuteRow {...shared} row={row} />}
        </ul>
        <RiskyActions
          {...shared}
          isBlocked={isBlocked}
          // A deleted account can do nothing, and a customer is on WhatsApp.
          canBlock={!isGone && !peer?.isWhatsAppContact}
          hasChat={row !== undefined}
          onDeleted={props.onDeleted}
        />
      </div>
      {failure}
    </section>
  )
}

interface AboutPeer {
  messenger: Messenger
  peerId: string
  peer: KnownPerson | undefined
}

function Face({ messenger, peerId, peer }: AboutPeer) {
  const { words, isOnline, isTyping } = usePresenceWords(messenger, peerId, peer)
  const [isLarge, setIsLarge] = useState(false)
  const url = usePicture(peer?.profilePicture ?? undefined)
  const name = peer?.username ?? 'Unknown'
  const avatar = <Avatar name={name} picture={peer?.profilePicture ?? undefined} size={8} />
  return (
    <div className={styles.face}>
      {url ? (
        <button
          type="button"
          className={styles.picture}
          aria-label="Show the picture larger"
          onClick={() => setIsLarge(true)}
        >
          {avatar}
        </button>
      ) : (
        avatar
      )}
      <p className={styles.name} dir="auto">
        {name}
      </p>
      <p className={styles.presence} data-online={isOnline || isTyping || undefined}>
        {words}
      </p>
      {isLarge && url && <PictureDialog name={name} url={url} onClose={() => setIsLarge(false)} />}
    </div>
  )
}

/** About and phone number; only what there is. */
function Facts({ peer }: { peer: KnownPerson | undefined }) {
  const phone = peer?.phone_number && `+${peer.phone_number}`
  const about = !peer?.isWhatsAppContact && peer?.status
  if (!about && !phone) return null
  return (
    <dl className={styles.facts}>
      {about && <Fact name="About">{about}</Fact>}
      {phone && <Fact name="Phone number">{phone}</Fact>}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  )
}

/** The heading takes the focus, for the keyboard and screen readers; its owner gets it back. */
function useFocusWhileOpen() {
  const heading = useRef<HTMLHeadingElement>(null)
  const [returnTo] = useState(findFocusPath)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    return () => {
      // A layer effect: what the person focused meanwhile elsewhere keeps the focus.
      queueMicrotask(() => document.activeElement === document.body && focusFirst(returnTo))
    }
  }, [returnTo])
  return heading
}
