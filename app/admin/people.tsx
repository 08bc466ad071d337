import { useCallback, useState } from 'react'
import { Button } from '../ui/buttons/button.tsx'
import { InviteCard } from '../ui/codes/invite-card.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { formatLastSeen } from '../ui/format/format-times.ts'
import { useDebounced } from '../ui/hooks/use-debounced.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { Avatar } from '../ui/people/avatar.tsx'
import styles from './admin.module.css'
import {
  done,
  linkAnswer,
  type Person,
  type PersonShown,
  peopleAnswer,
  personAnswer,
} from './admin-answers.ts'
import { AskDialog, type AskDialogProps } from './ask-dialog.tsx'
import { type PartProps, Problem, useAsked } from './part.tsx'

const reason = {
  name: 'reason',
  label: 'Reason',
  hint: 'For the audit log. Optional.',
  maxLength: 1000,
}

/** Everybody with an account, found by name or email. */
export function People({ calls, onSaid, onProblem }: PartProps) {
  const [search, setSearch] = useState('')
  const sought = useDebounced(search.trim(), 250)
  const [openName, setOpenName] = useState<string>()
  const ask = useCallback(
    () =>
      calls.run({
        action: 'people list',
        input: sought ? { search: sought } : {},
        answer: peopleAnswer,
      }),
    [calls, sought],
  )
  const { answer, problem, load } = useAsked(ask)
  return (
    <section aria-label="People">
      <search className={styles.search}>
        <Icon name="search" size={18} />
        <input
          type="search"
          placeholder="Search by name or email"
          aria-label="Search people"
          autoComplete="off"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </search>
      <Problem words={problem} onAgain={onProblem} />
      <ul className={styles.list}>
        {answer?.people.map((person) => (
          <li key={person.id}>
            <PersonRow person={person} onOpen={() => setOpenName(person.name)} />
          </li>
        ))}
      </ul>
      <p className={styles.note} role="status">
        {answer?.people.length === 0 && 'Nobody found'}
        {answer?.people.length === 100 && 'The first 100. Search to find others.'}
      </p>
      {openName !== undefined && (
        <PersonDialog
          calls={calls}
          name={openName}
          onRenamed={setOpenName}
          onSaid={onSaid}
          onChanged={load}
          onClose={() => setOpenName(undefined)}
        />
      )}
    </section>
  )
}

function PersonRow({ person, onOpen }: { person: Person; onOpen(): void }) {
  return (
    <button type="button" className={styles.row} onClick={onOpen}>
      <Avatar name={person.name} picture={undefined} size={2.5} />
      <span className={styles.words}>
        <span dir="auto">{person.name}</span>
        <small>{person.isOnline ? 'Online' : describeSeen(person.lastSeen)}</small>
      </span>
      {person.isAdmin && <span className={styles.tag}>Admin</span>}
      {person.state === 'disabled' && (
        <span className={`${styles.tag} ${styles.bad}`}>Disabled</span>
      )}
      <Icon name="right" size={18} />
    </button>
  )
}

function describeSeen(at: string | null): string {
  return at === null ? 'Never here' : `Last seen ${formatLastSeen(Date.parse(at), Date.now())}`
}

interface PersonDialogProps {
  calls: PartProps['calls']
  name: string
  onRenamed(name: string): void
  onSaid: PartProps['onSaid']
  onChanged(): Promise<void>
  onClose(): void
}

type Asking = Omit<AskDialogProps, 'onClose'>

/** One person: what is known of them without their messages, and what can be done. */
function PersonDialog({ calls, name, onRenamed, onSaid, onChanged, onClose }: PersonDialogProps) {
  const ask = useCallback(
    () => calls.run({ action: 'people show', input: { name }, answer: personAnswer }),
    [calls, name],
  )
  const { answer: person, problem, load } = useAsked(ask)
  const [asking, setAsking] = useState<Asking>()
  const [link, setLink] = useState<string>()

  async function act(action: string, input: Record<string, unknown>) {
    const { said } = await calls.run({ action, input: { name, ...tidy(input) }, answer: done })
    onSaid(said)
    await onChanged()
    if (action === 'people delete') onClose()
    else if (action === 'people rename') onRenamed(String(input.to))
    else await load()
  }

  const offers = person ? listOffers(person, { act, calls, setLink, onSaid }) : []
  if (link !== undefined) {
    return (
      <Dialog title="Link for a new password" onClose={() => setLink(undefined)}>
        <InviteCard
          address={link}
          about="It works once, for 30 minutes. Give it only to this person: they were told that you made it."
          label="QR code of the link"
          onClose={() => setLink(undefined)}
        />
      </Dialog>
    )
  }
  if (asking) return <AskDialog {...asking} onClose={() => setAsking(undefined)} />
  return (
    <Dialog title={name} onClose={onClose}>
      <Problem words={problem} />
      {!person && !problem && <p role="status">Loading...</p>}
      {person && (
        <>
          <dl className={styles.facts}>
            {listFacts(person).map(([fact, words]) => (
              <div key={fact}>
                <dt>{fact}</dt>
                <dd>{words}</dd>
              </div>
            ))}
          </dl>
          <div className={styles.offers}>
            {offers.map((offer) => (
              <Button
                key={offer.title}
                look={offer.isDanger ? 'danger' : 'quiet'}
                onClick={() => setAsking(offer)}
              >
                {offer.action}
              </Button>
            ))}
          </div>
        </>
      )}
    </Dialog>
  )
}

function listFacts(person: PersonShown): readonly (readonly [string, string])[] {
  const { devices, quotaMb, storedMb } = person
  return [
    ['Email', person.email],
    ['Here', person.isOnline ? 'Online now' : describeSeen(person.lastSeen)],
    ['Since', new Date(person.createdAt).toLocaleDateString()],
    ['Stored', quotaMb > 0 ? `${storedMb} of ${quotaMb} MB` : `${storedMb} MB`],
    ['Reports about them', String(person.reportsAbout)],
    ...(person.formerNames.length > 0
      ? [['Earlier names', person.formerNames.join(', ')] as const]
      : []),
    [
      'Devices',
      devices.length === 0
        ? 'Signed in nowhere'
        : devices
            .map(
              ({ device, lastUsedAt }) =>
                `${device || 'Unknown device'} (${formatLastSeen(Date.parse(lastUsedAt), Date.now())})`,
            )
            .join('; '),
    ],
  ]
}

function listOffers(
  person: PersonShown,
  tools: {
    act(action: string, input: Record<string, unknown>): Promise<void>
    calls: PartProps['calls']
    setLink(link: string): void
    onSaid: PartProps['onSaid']
  },
): Asking[] {
  const { name } = person
  const { act, calls, setLink } = tools
  const plain = (action: string) => (given: Record<string, string>) => act(action, given)
  return [
    {
      title: `Sign ${name} out everywhere?`,
      text: 'Every device has to sign in again. Their chats come back when they do.',
      fields: [reason],
      action: 'Sign out',
      onDo: plain('people sign-out'),
    },
    {
      title: `A new password for ${name}?`,
      text: 'Makes a link that sets a new password. They get a message that says you made it.',
      fields: [reason],
      action: 'Reset password',
      async onDo(given) {
        const input = { name, ...tidy(given) }
        setLink((await calls.run({ action: 'reset-password', input, answer: linkAnswer })).link)
      },
    },
    {
      title: `How much may ${name} store?`,
      fields: [
        {
          name: 'megabytes',
          label: 'Megabytes',
          kind: 'number',
          hint: '0 for any amount; empty for as much as everybody.',
          value: String(person.quotaMb),
        },
        reason,
      ],
      action: 'Set quota',
      onDo: ({ megabytes = '', ...rest }) =>
        act('people quota', { ...rest, megabytes: megabytes === '' ? '' : Number(megabytes) }),
    },
    {
      title: `Rename ${name}`,
      text: 'Where a name offends. They can choose another one later.',
      fields: [{ name: 'to', label: 'New name', value: name }, reason],
      action: 'Rename',
      onDo: plain('people rename'),
    },
    person.state === 'enabled'
      ? {
          title: `Disable ${name}?`,
          text: 'Ends their sign-ins at once. They cannot sign in until you enable them again; what they wrote stays.',
          fields: [reason],
          action: 'Disable',
          isDanger: true,
          onDo: plain('people disable'),
        }
      : {
          title: `Let ${name} sign in again?`,
          fields: [reason],
          action: 'Enable',
          onDo: plain('people enable'),
        },
    {
      title: `Delete ${name}’s account?`,
      text: 'Everything goes but what others received. This can’t be undone.',
      fields: [reason],
      action: 'Delete account',
      isDanger: true,
      onDo: plain('people delete'),
    },
  ]
}

/** Without what was left empty. */
function tidy(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
}
