import { useEffect, useState } from 'react'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import type { OwnUser } from '../../../schema/user.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { InviteCard } from '../../ui/codes/invite-card.tsx'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import { Page } from '../../ui/layout/page.tsx'
import { findInvited } from './find-invited.ts'
import styles from './invited-page.module.css'

interface InvitedPageProps {
  messenger: Messenger
  self: OwnUser
  /** From the link: an id or a name. */
  to: string
  /** This person's own invite link. */
  inviteAddress: string
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
        {state.kind === 'yourself' && <InviteCard address={props.inviteAddress} />}
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
