import { useMemo } from 'react'
import type { GroupChange } from '../../../schema/group.ts'
import { type KnownPeer, nameOf } from '../../database/storage/known-peer.ts'
import type { QueuedRequest, RequestEntry } from '../../database/storage/queued-request.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { type LiveSource, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import styles from './refused-requests.module.css'

const nobody: LiveSource<undefined> = { getSnapshot: () => undefined, subscribe: () => () => {} }

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
  const { requests, peers } = messenger
  const name = useConcernedName(entry.request, peers)
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

/** The name of the person or group concerned by a request; whoever has left is "Deleted user". */
export function useConcernedName(request: QueuedRequest, peers: Messenger['peers']): string {
  const concerned = findConcerned(request)
  const source = useMemo(
    () => (concerned === undefined ? nobody : peers.get(concerned)),
    [concerned, peers],
  )
  const peer = useLiveValue<KnownPeer | undefined>(source)
  return peer ? nameOf(peer) : 'somebody'
}

/** Describes what a refused request did not do. `name`: of the person or group concerned. */
export function describeRefused(request: QueuedRequest, name: string): string {
  switch (request.kind) {
    case 'profile':
      return "Your profile wasn't changed."
    case 'settings':
      return "Your settings weren't changed."
    case 'picture':
      return "Your picture wasn't changed."
    case 'block':
      return request.blocked ? `${name} wasn't blocked.` : `${name} wasn't unblocked.`
    case 'report':
      return "Your report wasn't sent."
    case 'forward':
      return "A message wasn't forwarded."
    case 'group':
      return describeRefusedChange(request.change, name)
    case 'join':
      return request.groupName === undefined
        ? "You didn't join the group."
        : `You didn't join “${request.groupName}”.`
    case 'join-answer':
      return request.isAccepted ? `${name} wasn't let into a group.` : `${name} wasn't declined.`
    case 'withdraw-link':
      return `The link of “${name}” wasn't withdrawn.`
  }
}

function describeRefusedChange(change: GroupChange, groupName: string): string {
  switch (change.kind) {
    case 'create':
      return `The group “${change.name}” wasn't created.`
    case 'picture':
      return `The picture of “${groupName}” wasn't changed.`
    case 'add':
      return `Nobody was added to “${groupName}”.`
    case 'remove':
      return `Nobody was removed from “${groupName}”.`
    case 'leave':
      return `You didn't leave “${groupName}”.`
    default:
      return `“${groupName}” wasn't changed.`
  }
}

/** The person or group concerned, if a request concerns one. */
export function findConcerned(request: QueuedRequest): string | undefined {
  switch (request.kind) {
    case 'block':
    case 'report':
    case 'join-answer':
      return request.userId
    case 'group':
    case 'withdraw-link':
      return request.groupId
    default:
      return undefined
  }
}
