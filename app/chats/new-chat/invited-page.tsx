import { useEffect, useState } from 'react'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import type { OwnUser } from '../../../schema/user.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { InviteCard } from '../../ui/codes/invite-card.tsx'
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
        <Words state={state} />
        {state.kind === 'failed' && (
          <Button onClick={() => setState({ kind: 'looking' })}>Try Again</Button>
        )}
        {state.kind === 'yourself' && <InviteCard address={props.inviteAddress} />}
      </section>
    </Page>
  )
}

function Words({ state }: { state: State }) {
  if (state.kind === 'looking') return <p role="status">Loading chat...</p>
  return <p role="alert">{state.kind === 'failed' ? state.words : words[state.kind]}</p>
}

const words = {
  yourself: 'This is your own invite link. Send it to somebody else to chat with them.',
  unknown: 'Nobody has this invite link. It may be incomplete, or the account was deleted.',
}
