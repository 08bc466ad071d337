import { Link } from 'react-router-dom'
import type { PublicUser } from '../../schema/user.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { Avatar } from '../ui/people/avatar.tsx'
import { useIsOnline } from '../ui/people/use-is-online.ts'
import styles from './chat-list-panel.module.css'

interface PersonLinkProps {
  person: PublicUser
  messenger: Messenger
  linkState?: object | undefined
  onChoose?(): void
}

/** A person, linked to their conversation. */
export function PersonLink({ person, messenger, linkState, onChoose }: PersonLinkProps) {
  const isOnline = useIsOnline(messenger, person._id)
  return (
    <Link className={styles.person} to={`/chat/${person._id}`} state={linkState} onClick={onChoose}>
      <Avatar
        name={person.username}
        picture={person.profilePicture ?? undefined}
        isOnline={isOnline}
      />
      <span className={styles.personWords}>
        <span className={styles.personName}>{person.username}</span>
        <span className={styles.personAbout}>{describe(person)}</span>
      </span>
    </Link>
  )
}

function describe({ status, isWhatsAppContact, phone_number }: PublicUser): string {
  if (!isWhatsAppContact) return status || 'Available to chat'
  return phone_number ? `WhatsApp · +${phone_number}` : 'WhatsApp'
}
