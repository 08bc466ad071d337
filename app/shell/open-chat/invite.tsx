import { useEffect, useState } from 'react'
import type { MadeInvitation, ServerDescription } from '../../../schema/api/auth.ts'
import { wordsOf } from '../../../schema/helpers/text.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { InviteCard } from '../../ui/codes/invite-card.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { useServices, useSession } from '../session/services-context.ts'
import styles from './invite-row.module.css'

export function InviteDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Invite to chat" onClose={onClose}>
      <OwnInvite onClose={onClose} />
    </Dialog>
  )
}

/**
 * This person's invite link. Where a new account needs an invitation, whoever may make one adds it
 * to the link.
 */
export function OwnInvite({ onClose }: { onClose?(): void }) {
  const { encryption, own } = useServices()
  const self = useSession()?.user
  const [server, setServer] = useState<ServerDescription>()
  const [made, setMade] = useState<MadeInvitation>()
  const [state, setState] = useState<{ isBusy: boolean; problem?: string }>({ isBusy: false })
  useEffect(() => {
    // Without a network the link is shown all the same.
    encryption.describeServer().then(setServer, () => undefined)
  }, [encryption])
  if (!self) return null
  const mayInvite = server?.invitesBy === 'everybody' || self.isAdmin === true
  const make = async () => {
    setState({ isBusy: true })
    try {
      setMade(await own.makeInvitation())
      setState({ isBusy: false })
    } catch (cause) {
      setState({ isBusy: false, problem: wordsOf(cause) })
    }
  }
  const address = `${location.origin}/chat/new?to=${self._id}`
  return (
    <InviteCard
      address={made ? `${address}#invitation=${made.code}` : address}
      about={describeInvite(server?.registration, made, mayInvite)}
      {...(onClose && { onClose })}
    >
      {server?.registration === 'invite' && mayInvite && !made && (
        <Button look="quiet" isBusy={state.isBusy} onClick={() => void make()}>
          Add an invitation
        </Button>
      )}
      {state.problem !== undefined && (
        <p className={styles.problem} role="alert">
          {state.problem}
        </p>
      )}
    </InviteCard>
  )
}

/** What opening the link does. */
function describeInvite(
  registration: ServerDescription['registration'] | undefined,
  made: Pick<MadeInvitation, 'endsAt'> | undefined,
  mayInvite: boolean,
): string {
  if (made) {
    const end = new Date(made.endsAt).toLocaleDateString()
    return `One person can create an account with this link, until ${end}, and chat with you.`
  }
  if (registration === undefined || registration === 'open') {
    return 'Whoever opens this link can chat with you, after signing in or registering.'
  }
  const after = 'Whoever opens this link can chat with you, after signing in.'
  if (registration === 'closed') return `${after} This server takes no new accounts.`
  return mayInvite
    ? `${after} Somebody new needs an invitation, too.`
    : `${after} Somebody new needs an invitation from an admin of this server.`
}
