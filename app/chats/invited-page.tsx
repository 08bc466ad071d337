import { type ReactNode, useEffect, useState } from 'react'
import { normalizeText, wordsOf } from '../../schema/helpers/text.ts'
import { idPattern } from '../../schema/id.ts'
import type { OwnUser, PublicUser } from '../../schema/user.ts'
import { ApiError } from '../api/api-error.ts'
import type { Messenger, PeopleDirectory } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { useLivePart } from '../ui/hooks/use-live-value.ts'
import { Page } from '../ui/layout/page.tsx'
import styles from './invited-page.module.css'

const fold = (name: string) => normalizeText(name, 'NFKC').trim().toLowerCase()

interface InvitedPageProps {
  messenger: Messenger
  self: OwnUser
  /** From the link: an id or a name. */
  to: string
  /** This person's own invite link. */
  ownInvite: ReactNode
  onFound(userId: string): void
  onBack(): void
}

type State = { kind: 'looking' | 'yourself' | 'unknown' } | { kind: 'failed'; words: string }

/** Opens the chat of an invite link, or says why it cannot. */
export function InvitedPage(props: InvitedPageProps) {
  const { messenger, self, to, onFound } = props
  const [state, setState] = useState<State>({ kind: 'looking' })
  const isOffline = useLivePart(
    messenger.connection,
    (connection) => connection.state === 'offline',
  )
  useEffect(() => {
    // Back online, it looks again by itself.
    if (!isOffline) setState((now) => (now.kind === 'failed' ? { kind: 'looking' } : now))
  }, [isOffline])
  useEffect(() => {
    if (state.kind !== 'looking') return
    let isHere = true
    findInvited({ users: messenger.users, self, to }).then(
      (invited) => {
        if (!isHere) return
        if (invited.kind === 'found') onFound(invited.userId)
        else setState(invited)
      },
      (cause: unknown) => isHere && setState({ kind: 'failed', words: wordsOf(cause) }),
    )
    return () => {
      isHere = false
    }
  }, [state, messenger, self, to, onFound])
  return (
    <Page title="New chat" backLabel="Back to chats" onBack={props.onBack}>
      <section className={styles.words}>
        <Words state={state} isOffline={isOffline} />
        {state.kind === 'failed' && (
          <Button onClick={() => setState({ kind: 'looking' })}>Try Again</Button>
        )}
        {state.kind === 'unknown' && <Button onClick={props.onBack}>Go to Chat</Button>}
        {state.kind === 'yourself' && props.ownInvite}
      </section>
    </Page>
  )
}

function Words({ state, isOffline }: { state: State; isOffline: boolean }) {
  if (state.kind === 'looking') return <p role="status">Loading chat...</p>
  if (state.kind !== 'failed') return <p role="alert">{words[state.kind]}</p>
  return <p role="alert">{isOffline ? words.offline : state.words}</p>
}

const words = {
  offline:
    "You're offline, and this device doesn't know who sent this invite. The chat opens when you're back.",
  yourself: 'This is your own invite link. Send it to somebody else to chat with them.',
  unknown: 'Nobody has this invite link. It may be incomplete, or the account was deleted.',
}

type Invited = { kind: 'found'; userId: string } | { kind: 'yourself' } | { kind: 'unknown' }

/**
 * The person of an invite link: by id, which survives a change of name, or by the whole name.
 * @throws ApiError when the server cannot be asked about somebody unknown to the device
 */
export async function findInvited(options: {
  users: Pick<PeopleDirectory, 'list' | 'load' | 'search'>
  self: Pick<OwnUser, '_id' | 'username'>
  to: string
}): Promise<Invited> {
  const { users, self, to } = options
  const name = fold(to)
  if (name === self._id || name === fold(self.username)) return { kind: 'yourself' }
  const fits = (person: PublicUser) => person._id === name || fold(person.username) === name
  const known = users.list().getSnapshot().find(fits)
  if (known) return { kind: 'found', userId: known._id }
  const found = idPattern.test(name) ? await load(users, name) : (await users.search(to)).find(fits)
  return found ? { kind: 'found', userId: found._id } : { kind: 'unknown' }
}

async function load(users: Pick<PeopleDirectory, 'load'>, userId: string) {
  try {
    return await users.load(userId)
  } catch (cause) {
    if (cause instanceof ApiError && cause.status === 404) return undefined
    throw cause
  }
}
