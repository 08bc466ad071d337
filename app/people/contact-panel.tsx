import { useEffect, useState } from 'react'
import { kindOf } from '../../schema/conversation.ts'
import { readAbout } from '../../schema/user.ts'
import type { KnownPerson } from '../database/storage/known-peer.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { isEncrypted } from '../sync/people/encryption-states.ts'
import { Button } from '../ui/buttons/button.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { useAttempt } from '../ui/dialogs/lazy-dialogs.tsx'
import { useLivePart, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Avatar } from '../ui/people/avatar.tsx'
import { usePicture } from '../ui/people/picture-source.ts'
import { usePresenceWords } from '../ui/people/use-presence-words.ts'
import { VerifiedSign } from '../ui/people/verified-sign.tsx'
import { describePlainChat } from '../ui/text/describe-plain-chat.ts'
import { PhoneNumber } from '../ui/text/phone-number.tsx'
import styles from './contact-panel.module.css'
import pictureDialogStyles from './dialogs/picture-dialog.module.css'
import { Fact, InfoPanel, MuteRow, StarredRow } from './panel-parts.tsx'
import { PanelRow } from './panel-row.tsx'
import { RiskyActions } from './risky-actions.tsx'

export interface ContactPanelProps {
  messenger: Messenger
  peerId: string
  /** Does it take the chat's place? Else it lies beside the chat. */
  isPage: boolean
  /** Back to the chat. */
  onClose(): void
  onSearch(): void
  onOpenMedia(): void
  onOpenEncryption(): void
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
  useEffect(() => {
    // What the device knows is shown meanwhile, and without a network it is all there is.
    messenger.users.load(peerId).catch(() => {})
  }, [messenger, peerId])
  const isGone = Boolean(peer?.isDeleted)
  const shared = { messenger, peerId, name: peer?.username ?? 'Unknown', attempt }
  return (
    <InfoPanel title="Contact info" isPage={isPage} onClose={onClose} over={failure}>
      <Face messenger={messenger} peerId={peerId} peer={peer} />
      {!isGone && <Facts messenger={messenger} peerId={peerId} peer={peer} />}
      <ul className={styles.rows}>
        <PanelRow icon="picture" label="Media, files and links" onClick={props.onOpenMedia} isWay />
        {!isGone && <EncryptionRow {...shared} onOpen={props.onOpenEncryption} />}
        <StarredRow {...shared} nameOf={() => shared.name} onGoToMessage={props.onGoToMessage} />
        <PanelRow icon="search" label="Search in this chat" onClick={props.onSearch} />
        {!isGone && row && <MuteRow {...shared} row={row} />}
      </ul>
      <RiskyActions
        {...shared}
        isBlocked={isBlocked}
        // A deleted account can do nothing, and a customer is on WhatsApp.
        canBlock={!isGone && kindOf(peer) === 'person'}
        hasChat={row !== undefined}
        onDeleted={props.onDeleted}
      />
    </InfoPanel>
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
        <VerifiedSign trust={messenger.encryption.trustIn(peerId)} />
      </p>
      <p className={styles.presence} data-online={isOnline || isTyping || undefined}>
        {words}
      </p>
      {isLarge && url && <PictureDialog name={name} url={url} onClose={() => setIsLarge(false)} />}
    </div>
  )
}

/** About, phone number and how the chat is protected; only what there is. */
function Facts({ messenger, peerId, peer }: AboutPeer) {
  const encryption = useLiveValue(messenger.encryption.of(peerId))
  const phone = peer?.phone_number
  const about = peer && kindOf(peer) === 'person' && readAbout(peer)
  const protection = peer && encryption === 'plain' && describePlainChat(peer)
  if (!about && !phone && !protection) return null
  return (
    <dl className={styles.facts}>
      {about && <Fact name="About">{about}</Fact>}
      {phone && (
        <Fact name="Phone number">
          <PhoneNumber digits={phone} />
          {peer?.isPhoneProved === false && <small>Not verified: only they say it’s theirs.</small>}
        </Fact>
      )}
      {protection && <Fact name="Encryption">{protection}</Fact>}
    </dl>
  )
}

interface EncryptionRowProps {
  messenger: Messenger
  peerId: string
  onOpen(): void
}

/** Leads to the security code, where there is one. */
function EncryptionRow({ messenger, peerId, onOpen }: EncryptionRowProps) {
  const { encryption } = messenger
  const state = useLiveValue(encryption.of(peerId))
  const { isVerified } = useLiveValue(encryption.trustIn(peerId))
  if (!isEncrypted(state)) return null
  const about = isVerified
    ? 'You verified the security code.'
    : 'Only the two of you can read new messages.'
  return (
    <PanelRow
      icon={isVerified ? 'verified' : 'lock'}
      label="Encryption"
      note={`End-to-end encrypted. ${state === 'locked' ? 'Locked on this device.' : about}`}
      onClick={onOpen}
      isWay
    />
  )
}

interface PictureDialogProps {
  name: string
  /** An address that the page may show. */
  url: string
  onClose(): void
}

/** A person's picture as large as the screen allows. */
function PictureDialog({ name, url, onClose }: PictureDialogProps) {
  return (
    <Dialog title={name} isWide onClose={onClose}>
      <img className={pictureDialogStyles.picture} src={url} alt={`${name}'s profile`} />
      <div className={pictureDialogStyles.foot}>
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}
