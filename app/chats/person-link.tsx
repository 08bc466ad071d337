import { Link } from 'react-router-dom'
import { kindOf } from '../../schema/conversation.ts'
import { type PublicUser, readAbout } from '../../schema/user.ts'
import { type KnownGroup, nameOf, pictureOf } from '../database/storage/known-peer.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { Avatar } from '../ui/people/avatar.tsx'
import { useIsOnline } from '../ui/people/use-presence-words.ts'
import { PhoneNumber } from '../ui/text/phone-number.tsx'
import styles from './chat-list-panel.module.css'

interface PersonLinkProps {
  person: PublicUser | KnownGroup
  messenger: Messenger
  linkState?: object | undefined
  onChoose?(): void
}

/** A person or a group, linked to the conversation. */
export function PersonLink({ person, messenger, linkState, onChoose }: PersonLinkProps) {
  const isGroup = isKnownGroup(person)
  const isOnline = useIsOnline(messenger, isGroup ? undefined : person._id)
  return (
    <Link className={styles.person} to={`/chat/${person._id}`} state={linkState} onClick={onChoose}>
      <Avatar
        name={nameOf(person)}
        picture={pictureOf(person)}
        isOnline={isOnline}
        isGroup={isGroup}
      />
      <span className={styles.personWords}>
        <span className={styles.personName}>{nameOf(person)}</span>
        <span className={styles.personAbout}>
          {isKnownGroup(person) ? countMembers(person) : <About person={person} />}
        </span>
      </span>
    </Link>
  )
}

function isKnownGroup(peer: PublicUser | KnownGroup): peer is KnownGroup {
  return 'isGroup' in peer && peer.isGroup === true
}

function countMembers({ members, hasLeft }: KnownGroup): string {
  if (hasLeft || members.length === 0) return 'Group'
  return `Group · ${members.length} ${members.length === 1 ? 'member' : 'members'}`
}

function About({ person }: { person: PublicUser }) {
  const { phone_number } = person
  if (kindOf(person) !== 'business') return readAbout(person) || 'Available to chat'
  if (!phone_number) return 'WhatsApp'
  return (
    <>
      WhatsApp · <PhoneNumber digits={phone_number} />
    </>
  )
}
