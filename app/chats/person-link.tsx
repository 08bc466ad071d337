import { Link } from 'react-router-dom'
import { kindOf } from '../../schema/conversation.ts'
import type { PublicUser } from '../../schema/user.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { Avatar } from '../ui/people/avatar.tsx'
import { useIsOnline } from '../ui/people/use-presence-words.ts'
import { PhoneNumber } from '../ui/text/phone-number.tsx'
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
        <span className={styles.personAbout}>
          <About person={person} />
        </span>
      </span>
    </Link>
  )
}

function About({ person }: { person: PublicUser }) {
  const { status, phone_number } = person
  if (kindOf(person) !== 'business') return status || 'Available to chat'
  if (!phone_number) return 'WhatsApp'
  return (
    <>
      WhatsApp · <PhoneNumber digits={phone_number} />
    </>
  )
}
