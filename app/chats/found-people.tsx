import type { PublicUser } from '../../schema/user.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import styles from './chat-list-panel.module.css'
import { PersonLink } from './person-link.tsx'

interface FoundPeopleProps {
  title: string
  people: readonly PublicUser[]
  messenger: Messenger
  linkState: object | undefined
  onChoose(): void
}

/** The people found; renders nothing for an empty list. */
export function FoundPeople({ title, people, ...choice }: FoundPeopleProps) {
  if (people.length === 0) return null
  return (
    <section aria-label={title}>
      <h2 className={styles.section}>{title}</h2>
      <ul>
        {people.map((person) => (
          <li key={person._id}>
            <PersonLink person={person} {...choice} />
          </li>
        ))}
      </ul>
    </section>
  )
}
