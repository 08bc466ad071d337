import { useMemo } from 'react'
import type { RequestEntry } from '../../database/storage/queued-request.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { describeRefused } from './describe-refused.ts'
import styles from './refused-requests.module.css'
import { useConcernedName } from './use-concerned-name.ts'

/** The refused requests other than messages: the reason, and what the person can do (P6). */
export function RefusedRequests({ messenger }: { messenger: Messenger }) {
  const entries = useLiveValue(messenger.requests.entries)
  const refused = useMemo(() => entries.filter(({ state }) => state === 'refused'), [entries])
  return (
    <ul className={styles.list} aria-label="Refused by the server">
      {refused.map((entry) => (
        <RefusedRequest key={entry._id} entry={entry} messenger={messenger} />
      ))}
    </ul>
  )
}

function RefusedRequest({ entry, messenger }: { entry: RequestEntry; messenger: Messenger }) {
  const { requests, users } = messenger
  const name = useConcernedName(entry.request, users)
  return (
    <li className={styles.entry}>
      <Icon name="warning" size={20} />
      <p className={styles.words}>
        <strong>{describeRefused(entry.request, name)}</strong> {entry.problem?.words}
      </p>
      <span className={styles.buttons}>
        <Button look="quiet" onClick={() => void requests.discard(entry._id)}>
          Discard
        </Button>
        <Button look="quiet" onClick={() => void requests.retry(entry._id)}>
          Try again
        </Button>
      </span>
    </li>
  )
}
