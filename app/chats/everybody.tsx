import { useRef } from 'react'
import { Virtualizer } from 'virtua'
import type { PublicUser } from '../../schema/user.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { useArrowKeys } from '../ui/hooks/use-arrow-keys.ts'
import { useHeldWhilePressed } from '../ui/hooks/use-held-while-pressed.ts'
import styles from './chat-list-panel.module.css'
import { PersonLink } from './person-link.tsx'

interface EverybodyProps {
  people: readonly PublicUser[]
  messenger: Messenger
}

/** The people one can write to: the list until there is a first conversation. */
export function Everybody({ people, messenger }: EverybodyProps) {
  const scroller = useRef<HTMLElement>(null)
  useArrowKeys(scroller, 'a')
  const shown = useHeldWhilePressed(scroller, people)
  return (
    <section className={styles.scroller} ref={scroller} aria-label="People">
      <Virtualizer as="ul" item="li" data={shown} itemSize={64}>
        {(person) => <PersonLink key={person._id} person={person} messenger={messenger} />}
      </Virtualizer>
    </section>
  )
}
