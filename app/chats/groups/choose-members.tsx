import { useEffect, useMemo, useRef } from 'react'
import { kindOf } from '../../../schema/conversation.ts'
import { limits } from '../../../schema/limits.ts'
import type { PublicUser } from '../../../schema/user.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { PeopleFinder } from '../people-finder.tsx'
import styles from './choose-members.module.css'

/** The people chosen, in the order in which they were. */
export type ChosenPeople = ReadonlyMap<string, PublicUser>

interface ChooseMembersProps {
  messenger: Messenger
  chosen: ChosenPeople
  onChange(chosen: ChosenPeople): void
  /** Those who are in the group already. */
  memberIds?: readonly string[]
}

const nobody: readonly string[] = []
const most = limits.groups.membersMax

/** People to choose for a group: the chosen ones above, then everybody that the words find. */
export function ChooseMembers(props: ChooseMembersProps) {
  const { messenger, chosen, onChange, memberIds = nobody } = props
  const field = useRef<HTMLInputElement>(null)
  // It takes the place of a step of the same dialog.
  useEffect(() => field.current?.focus(), [])
  const isOffered = useCandidates(messenger, memberIds)
  const isFull = memberIds.length + chosen.size + (memberIds.length === 0 ? 1 : 0) >= most
  const toggle = (person: PublicUser) => {
    const next = new Map(chosen)
    if (!next.delete(person._id)) next.set(person._id, person)
    onChange(next)
  }
  return (
    <PeopleFinder
      messenger={messenger}
      name="search-members"
      label="Search people"
      field={field}
      controls='input[type="checkbox"]'
      isOffered={isOffered}
      emptyWords={memberIds.length > 0 ? 'Everybody you know here is in the group.' : undefined}
      itemSize={60}
      draw={(person) => (
        <label key={person._id} className={styles.person}>
          <Avatar name={person.username} picture={person.profilePicture ?? undefined} size={2.5} />
          <span className={styles.name} dir="auto">
            {person.username}
          </span>
          <input
            type="checkbox"
            checked={chosen.has(person._id)}
            disabled={isFull && !chosen.has(person._id)}
            onChange={() => toggle(person)}
          />
        </label>
      )}
      end={
        <p className={styles.count} role="status">
          {describeCount(chosen.size, isFull)}
        </p>
      }
    >
      {chosen.size > 0 && (
        <ul className={styles.chosen} aria-label="Chosen people">
          {[...chosen.values()].map((person) => (
            <li key={person._id}>
              <button
                type="button"
                className={styles.chip}
                aria-label={`Remove ${person.username}`}
                onClick={() => {
                  toggle(person)
                  // The chip that had the focus is gone.
                  field.current?.focus()
                }}
              >
                <Avatar
                  name={person.username}
                  picture={person.profilePicture ?? undefined}
                  size={1.5}
                />
                <span dir="auto">{person.username}</span>
                <Icon name="close" size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </PeopleFinder>
  )
}

function describeCount(count: number, isFull: boolean): string {
  if (isFull) return `A group has at most ${most.toLocaleString('en')} members.`
  return count === 0 ? 'Nobody chosen yet' : `${count} chosen`
}

/** Who can be added: those with an account, unless this person blocks them. */
function useCandidates(
  messenger: Messenger,
  memberIds: readonly string[],
): (person: PublicUser) => boolean {
  const blocked = useLiveValue(messenger.blocked)
  return useMemo(() => {
    const left = new Set([messenger.userId, ...blocked, ...memberIds])
    return (person) => !left.has(person._id) && kindOf(person) === 'person'
  }, [blocked, memberIds, messenger.userId])
}
