import { useCallback, useState } from 'react'
import { Button } from '../ui/buttons/button.tsx'
import { InviteCard } from '../ui/codes/invite-card.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import styles from './admin.module.css'
import { done, invitationsAnswer, linkAnswer } from './admin-answers.ts'
import { AskDialog } from './ask-dialog.tsx'
import { type PartProps, Problem } from './part.tsx'
import { useAsked } from './use-asked.ts'

/** Who may come in, where an account needs an invitation; and messages to everybody. */
export function Invitations({ calls, onSaid, onProblem }: PartProps) {
  const [isAsking, setIsAsking] = useState(false)
  const [link, setLink] = useState<string>()
  const [ending, setEnding] = useState<string>()
  const ask = useCallback(
    () => calls.run({ action: 'invites list', answer: invitationsAnswer }),
    [calls],
  )
  const { answer, problem, load } = useAsked(ask)
  return (
    <section aria-label="Invitations">
      <div className={styles.top}>
        <Button onClick={() => setIsAsking(true)}>New invitation</Button>
      </div>
      <Problem words={problem} onAgain={onProblem} />
      <ul className={styles.list}>
        {answer?.invitations.map(({ id, usesLeft, endsAt, by }) => (
          <li key={id} className={styles.item}>
            <span className={styles.words}>
              <span>
                {usesLeft === 1 ? 'For one person' : `For ${usesLeft} people`}, until{' '}
                {new Date(endsAt).toLocaleDateString()}
              </span>
              <small>
                {id} · made by {by.replace(/ \(.*\)$/, '')}
              </small>
            </span>
            <Button
              look="quiet"
              aria-label={`End the invitation ${id}`}
              onClick={() => setEnding(id)}
            >
              End
            </Button>
          </li>
        ))}
      </ul>
      <p className={styles.note} role="status">
        {answer?.invitations.length === 0 && 'No invitation admits anybody.'}
      </p>
      {isAsking && (
        <AskDialog
          title="New invitation"
          text="Its link is shown once. Whoever has it can create an account."
          fields={[
            { name: 'uses', label: 'For how many people', kind: 'number', value: '1' },
            { name: 'days', label: 'Days until it ends', kind: 'number', value: '7' },
          ]}
          action="Create"
          onDo={async ({ uses, days }) => {
            const input = { uses: Number(uses), days: Number(days) }
            const made = await calls.run({ action: 'invites create', input, answer: linkAnswer })
            await load()
            setLink(made.link)
          }}
          onClose={() => setIsAsking(false)}
        />
      )}
      {ending !== undefined && (
        <AskDialog
          title="End this invitation?"
          text="It admits nobody any more. Who came in by it stays."
          fields={[]}
          action="End"
          isDanger
          onDo={async () => {
            const input = { id: ending }
            onSaid((await calls.run({ action: 'invites revoke', input, answer: done })).said)
            await load()
          }}
          onClose={() => setEnding(undefined)}
        />
      )}
      {link !== undefined && (
        <Dialog title="Invitation" onClose={() => setLink(undefined)}>
          <InviteCard
            address={link}
            about="Whoever opens this link can create an account here."
            onClose={() => setLink(undefined)}
          />
        </Dialog>
      )}
    </section>
  )
}
