import { type ReactNode, useState } from 'react'
import { Avatar } from '../people/avatar.tsx'
import styles from './choose-people.module.css'

/** A person or a group. */
interface Choice {
  _id: string
  name: string
  /** The picture's address, if there is one. */
  picture: string | undefined
  isGroup: boolean
}

interface ChoosePeopleProps {
  /** Those whose name matches; everybody for an empty name. */
  find(name: string): readonly Choice[]
  /** Draws the control around a picture and a name, with this class. */
  drawChoice(choice: Choice, look: { className: string | undefined; inside: ReactNode }): ReactNode
}

/** A list of people and groups to choose from, with a field that filters by name. */
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
        aria-label="Search people and groups"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <ul className={styles.people} aria-label="Chats">
        {found.map((choice) => (
          <li key={choice._id}>
            {drawChoice(choice, { className: styles.person, inside: <Face {...choice} /> })}
          </li>
        ))}
        {found.length === 0 && <li className={styles.empty}>No results found</li>}
      </ul>
    </>
  )
}

function Face({ name, picture, isGroup }: Choice) {
  return (
    <>
      <Avatar name={name} picture={picture} size={2.5} isGroup={isGroup} />
      <span className={styles.personName} dir="auto">
        {name}
      </span>
    </>
  )
}
