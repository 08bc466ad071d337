import type { RefObject } from 'react'
import { canBeginMention } from '../../../schema/helpers/mentions.ts'
import { foldText } from '../../database/search/fold-text.ts'
import { type KnownPerson, nameOf, pictureOf } from '../../database/storage/known-peer.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { type Completions, FieldCompletion } from '../../ui/forms/field-completion.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Avatar } from '../../ui/people/avatar.tsx'
import styles from './composer.module.css'

/** A name begun after an @, up to the cursor. */
const begunName = /@([^\s@](?:[^@\n]{0,48}[^\s@])?|)$/u

const offeredMax = 50

interface MentionCompletionProps {
  messenger: Messenger
  groupId: string
  field: RefObject<HTMLTextAreaElement | null>
  place: HTMLElement | null
}

/**
 * Offers the members of a group for a name being typed after an @. Chosen or typed to its end, the
 * name in the text is the mention: nothing else is kept.
 */
export function MentionCompletion({ messenger, groupId, field, place }: MentionCompletionProps) {
  const group = useLiveValue(messenger.groups.get(groupId))
  if (!group) return null

  function find(text: string, cursor: number): Completions<KnownPerson> | undefined {
    const begun = findBegunName(text, cursor)
    if (!begun || !group) return undefined
    const { users, userId } = messenger
    const others = group.members.flatMap((member) => {
      const person = member.userId === userId ? undefined : users.get(member.userId).getSnapshot()
      return person && !person.isDeleted ? [person] : []
    })
    return { ...begun, items: rankByName(others, begun.name).slice(0, offeredMax) }
  }

  return (
    <FieldCompletion
      field={field}
      place={place}
      id="mention-completion"
      label="Members"
      find={find}
      keyOf={({ _id }) => _id}
      draw={(person) => (
        <>
          <Avatar name={nameOf(person)} picture={pictureOf(person)} size={2} />
          <span className={styles.memberName} dir="auto">
            {nameOf(person)}
          </span>
        </>
      )}
      write={(person) => `@${nameOf(person)} `}
    />
  )
}

interface BegunName {
  /** What is typed after the @. */
  name: string
  /** From the @ to the cursor, in UTF-16 units. */
  start: number
  end: number
}

/** The name begun before the cursor; not a mailbox, nor an @ between spaces. */
export function findBegunName(text: string, cursor: number): BegunName | undefined {
  const [whole, name] = begunName.exec(text.slice(0, cursor)) ?? []
  if (whole === undefined || name === undefined) return undefined
  const start = cursor - whole.length
  return canBeginMention(text, start) ? { name, start, end: cursor } : undefined
}

/** Those with a word in their name that begins so; whose whole name does come first. */
export function rankByName<Person extends Pick<KnownPerson, 'username'>>(
  people: readonly Person[],
  begun: string,
): Person[] {
  const wanted = foldText(begun)
  const ranked = people.flatMap((person) => {
    const name = foldText(person.username)
    if (name.startsWith(wanted)) return [{ person, rank: 0 }]
    return name.includes(` ${wanted}`) ? [{ person, rank: 1 }] : []
  })
  return ranked
    .toSorted((a, b) => a.rank - b.rank || a.person.username.localeCompare(b.person.username))
    .map(({ person }) => person)
}
