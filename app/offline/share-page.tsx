import { useState } from 'react'
import { listPeopleByRecency } from '../database/people-by-recency.ts'
import { foldText } from '../database/search/fold-text.ts'
import type { Messenger } from '../sync/messenger.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { formatBytes } from '../ui/format-bytes.ts'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { useLiveValue } from '../ui/use-live-value.ts'
import styles from './share-page.module.css'
import type { SharedItem } from './shared-item.ts'

interface SharePageProps {
  messenger: Pick<Messenger, 'conversations' | 'users'>
  /** What waits to be sent; undefined where nothing does. */
  item: SharedItem | undefined
  /** Why something of it is not here, in words. */
  problem: string | undefined
  onChoose(peerId: string): void
  onDiscard(): void
  onBack(): void
}

/** Chooses the chat that gets what another app has shared. */
export function SharePage({ item, problem, onBack, ...rest }: SharePageProps) {
  const isSendable = item !== undefined && (item.text !== '' || item.files.length > 0)
  return (
    <Page title="Share to…" backLabel="Back to chats" onBack={onBack}>
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      {item ? (
        <Given item={item} onDiscard={rest.onDiscard} />
      ) : (
        <p className={styles.empty}>Nothing is waiting to be shared.</p>
      )}
      {isSendable && <People messenger={rest.messenger} onChoose={rest.onChoose} />}
    </Page>
  )
}

function Given({ item, onDiscard }: { item: SharedItem; onDiscard(): void }) {
  return (
    <section className={styles.given} aria-label="What you share">
      {item.text && (
        <p className={styles.text} dir="auto">
          {item.text}
        </p>
      )}
      {item.files.length > 0 && (
        <ul className={styles.files}>
          {item.files.map(({ key, file }) => (
            <li key={key} className={styles.file}>
              <Icon name={file.type.startsWith('image/') ? 'picture' : 'file'} size={20} />
              <span className={styles.fileName} dir="auto">
                {file.name}
              </span>
              <span className={styles.size}>{formatBytes(file.size)}</span>
            </li>
          ))}
        </ul>
      )}
      {item.problems.map((words) => (
        <p key={words} className={styles.problem} role="alert">
          {words}
        </p>
      ))}
      <div className={styles.foot}>
        <Button look="quiet" onClick={onDiscard}>
          Discard
        </Button>
      </div>
    </section>
  )
}

function People({ messenger, onChoose }: Pick<SharePageProps, 'messenger' | 'onChoose'>) {
  const [query, setQuery] = useState('')
  const rows = useLiveValue(messenger.conversations)
  const people = listPeopleByRecency(rows, useLiveValue(messenger.users.list()))
  const wanted = foldText(query.trim())
  const shown = people.filter((person) => foldText(person.username).includes(wanted))
  return (
    <>
      <input
        className={styles.search}
        type="search"
        name="search-people"
        placeholder="Search"
        aria-label="Search people"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <ul aria-label="Chats">
        {shown.map((person) => (
          <li key={person._id}>
            <button type="button" className={styles.person} onClick={() => onChoose(person._id)}>
              <Avatar
                name={person.username}
                picture={person.profilePicture ?? undefined}
                size={2.5}
              />
              <span className={styles.personName} dir="auto">
                {person.username}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className={styles.empty}>No results found</p>}
    </>
  )
}
