import { type ReactNode, useState } from 'react'
import type { PublicUser } from '../../../schema/user.ts'
import { Avatar } from '../people/avatar.tsx'
import styles from './choose-people.module.css'

interface ChoosePeopleProps {
  /** The people whose name matches; everybody for an empty name. */
  find(name: string): readonly PublicUser[]
  /** Draws the control around a person's picture and name, with this class. */
  drawChoice(
    person: PublicUser,
    look: { className: string | undefined; inside: ReactNode },
  ): ReactNode
}

/** A list of people to choose from, with a field that filters by name. */
export function ChoosePeople({ find, drawChoice }: ChoosePeopleProps) {
  const [name, setName] = useState('')
  const found = find(name)
  return (
    <>
      <input
        className={styles.search}
        type="search"
        name="search-people"
        placeholder="Search"
        aria-label="Search people"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <ul className={styles.people} aria-label="Chats">
        {found.map((person) => (
          <li key={person._id}>
            {drawChoice(person, { className: styles.person, inside: <Person person={person} /> })}
          </li>
        ))}
        {found.length === 0 && <li className={styles.empty}>No results found</li>}
      </ul>
    </>
  )
}

function Person({ person }: { person: PublicUser }) {
  return (
    <>
      <Avatar name={person.username} picture={person.profilePicture ?? undefined} size={2.5} />
      <span className={styles.personName} dir="auto">
        {person.username}
      </span>
    </>
  )
}
