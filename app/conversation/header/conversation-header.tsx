import type { KnownPerson } from '../../database/storage/known-person.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { usePresenceWords } from '../../ui/people/use-presence-words.ts'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import styles from '../styles/conversation.module.css'
import { HeaderTools } from './header-tools.tsx'

interface ConversationHeaderProps {
  messenger: Messenger
  peerId: string
  peer: KnownPerson | undefined
  /** Set on screens that show only the conversation. */
  onBack: (() => void) | undefined
  onSearch(): void
  onOpenMedia(): void
  hasInfo: boolean
  onOpenInfo(): void
  onGoToDate(): void
}

export function ConversationHeader(props: ConversationHeaderProps) {
  const { messenger, peerId, peer, onBack } = props
  const { words, isOnline, isTyping } = usePresenceWords(messenger, peerId, peer)
  const name = peer?.username ?? 'Unknown'
  return (
    <header className={styles.header}>
      {onBack && <IconButton icon="back" label="Back to chats" onClick={onBack} />}
      <div className={styles.who}>
        <div className={styles.headerFace}>
          <Avatar
            name={name}
            picture={peer?.profilePicture ?? undefined}
            size={2.5}
            isOnline={isOnline}
          />
        </div>
        <div className={styles.headerWords}>
          <h2 className={styles.name}>
            <span className={styles.nameText}>{name}</span>
            {(peer?.phone_number || peer?.isWhatsAppContact) && (
              <span className={styles.badge}>WhatsApp</span>
            )}
          </h2>
          <p className={joinClassNames(styles.subtitle, isTyping && styles.isTyping)}>
            {words}
            {peer?.phone_number && `${words && ' · '}+${peer.phone_number}`}
          </p>
        </div>
        {/* Over both: a heading may not lie in a button. */}
        <button
          type="button"
          className={styles.opensInfo}
          aria-label={`Contact info: ${name}`}
          aria-expanded={props.hasInfo}
          onClick={props.onOpenInfo}
        />
      </div>
      <HeaderTools {...props} />
    </header>
  )
}
