import { useMemo, useState } from 'react'
import type { GroupInviteAnswer } from '../../schema/api/groups.ts'
import { type KnownGroup, nameOf, pictureOf } from '../database/storage/known-peer.ts'
import type { RequestEntry } from '../database/storage/queued-request.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { Button } from '../ui/buttons/button.tsx'
import { InviteCard } from '../ui/codes/invite-card.tsx'
import { ConfirmDialog } from '../ui/dialogs/confirm-dialog.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { formatClockTime, formatDate, formatLastSeen } from '../ui/format/format-times.ts'
import { DialogField, DialogFoot, DialogForm } from '../ui/forms/dialog-form.tsx'
import { useSubmission } from '../ui/forms/use-submission.ts'
import { useAskedValue } from '../ui/hooks/use-asked-value.ts'
import { useLivePart, useLiveValue } from '../ui/hooks/use-live-value.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { Avatar } from '../ui/people/avatar.tsx'
import { productName } from '../ui/product.ts'
import styles from './group-invites.module.css'
import { readRights } from './list-member-actions.ts'
import { PanelRow } from './panel-row.tsx'

interface GroupProps {
  messenger: Messenger
  group: KnownGroup
}

/** How admins let people in: by a link, and by answering who asks for it. */
export function InviteRows({ messenger, group }: GroupProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <PanelRow
        icon="link"
        label="Invite link"
        note="Let people join by a link or a QR code"
        opens="dialog"
        onClick={() => setIsOpen(true)}
      />
      <RequestsRow messenger={messenger} group={group} />
      {isOpen && (
        <InviteDialog messenger={messenger} group={group} onClose={() => setIsOpen(false)} />
      )}
    </>
  )
}

function useReach({ connection }: Pick<Messenger, 'connection'>) {
  const state = useLivePart(connection, (now) => now.state)
  return { isLive: state === 'live', isOffline: state === 'offline' }
}

interface InviteDialogProps extends GroupProps {
  onClose(): void
}

/** The group's link, or the form that makes one. */
function InviteDialog({ messenger, group, onClose }: InviteDialogProps) {
  const { groupDesk } = messenger
  const { isLive, isOffline } = useReach(messenger)
  const { known, problem } = useAskedValue(groupDesk.invite(group._id), { isLive })
  const [isMaking, setIsMaking] = useState(false)
  const invite = known?.value
  const entries = useLiveValue(messenger.requests.entries)
  const withdrawal = entries.find(
    ({ request, state }) =>
      state === 'waiting' && request.kind === 'withdraw-link' && request.code === invite?.code,
  )
  return (
    <Dialog title="Invite link" onClose={onClose}>
      {known === undefined ? (
        <>
          <p role="status" className={styles.words}>
            {isOffline && "You're offline. The link is shown when you're back."}
            {!isOffline && (problem ?? 'Loading...')}
          </p>
          <DialogFoot>
            <Button look="quiet" onClick={onClose}>
              Close
            </Button>
          </DialogFoot>
        </>
      ) : withdrawal ? (
        <>
          <p role="status" className={styles.words}>
            {isOffline
              ? "You're offline. The link is withdrawn when you're back: until then people can join by it."
              : (withdrawal.problem?.words ?? 'Withdrawing the link...')}
          </p>
          <DialogFoot>
            <Button look="quiet" onClick={() => void messenger.requests.discard(withdrawal._id)}>
              Keep the link
            </Button>
            <Button onClick={onClose}>Close</Button>
          </DialogFoot>
        </>
      ) : invite && !isMaking ? (
        <MadeLink
          messenger={messenger}
          group={group}
          invite={invite}
          oldWords={
            isLive ? undefined : `As of ${formatLastSeen(known.at, messenger.now()).toLowerCase()}.`
          }
          onMakeNew={() => setIsMaking(true)}
          onClose={onClose}
        />
      ) : (
        <LinkForm
          messenger={messenger}
          groupId={group._id}
          isFirst={!invite}
          onMade={() => setIsMaking(false)}
          onLeave={() => (invite ? setIsMaking(false) : onClose())}
        />
      )}
    </Dialog>
  )
}

interface MadeLinkProps extends InviteDialogProps {
  invite: GroupInviteAnswer
  /** Set where the server cannot be asked whether it still holds. */
  oldWords: string | undefined
  onMakeNew(): void
}

function MadeLink(props: MadeLinkProps) {
  const { messenger, group, invite, oldWords, onMakeNew, onClose } = props
  const [isAsked, setIsAsked] = useState(false)
  const about = describeInvite(invite, messenger.now())
  return (
    <InviteCard
      // A server behind no known address says the path alone.
      address={new URL(invite.url, location.origin).href}
      about={oldWords ? `${about} ${oldWords}` : about}
      label="QR code of the group's invite link"
      words={`Join the group “${nameOf(group)}” on ${productName}`}
      onClose={onClose}
    >
      <div className={styles.buttons}>
        <Button look="quiet" onClick={onMakeNew}>
          Make a new link
        </Button>
        <Button look="quiet" className={styles.danger} onClick={() => setIsAsked(true)}>
          Withdraw link
        </Button>
      </div>
      {isAsked && (
        <ConfirmDialog
          title="Withdraw this link?"
          text="Nobody can join by it any more. Whoever is in the group stays."
          confirmLabel="Withdraw"
          isDanger
          onConfirm={() => void messenger.groupDesk.withdrawInvite(group._id, invite.code)}
          onClose={() => setIsAsked(false)}
        />
      )}
    </InviteCard>
  )
}

/** What opening the link does, and how long. */
export function describeInvite(invite: GroupInviteAnswer, now: number): string {
  const { requiresApproval, uses, usesMax, endsAt } = invite
  const end = endsAt === null ? undefined : Date.parse(endsAt)
  if (end !== undefined && end <= now) return 'This link has ended. Make a new one.'
  if (usesMax !== null && uses >= usesMax) {
    return `This link is used up: it was for ${countPeople(usesMax)}. Make a new one.`
  }
  const parts = [
    requiresApproval
      ? 'Whoever has this link can ask to join. An admin lets them in.'
      : 'Whoever has this link can join.',
    end !== undefined && `It ends on ${formatDate(end)} at ${formatClockTime(end)}.`,
    usesMax !== null && `Used ${uses} of ${usesMax} times.`,
    usesMax === null && uses > 0 && `Used ${uses === 1 ? 'once' : `${uses} times`}.`,
  ]
  return parts.filter(Boolean).join(' ')
}

const countPeople = (count: number) => (count === 1 ? 'one person' : `${count} people`)

const dayMs = 24 * 60 * 60 * 1000
const ends = [
  { name: 'Never', afterMs: 0 },
  { name: 'After a day', afterMs: dayMs },
  { name: 'After a week', afterMs: 7 * dayMs },
  { name: 'After a month', afterMs: 30 * dayMs },
] as const
const limits = [0, 1, 5, 10, 50, 100] as const

interface LinkFormProps {
  messenger: Messenger
  groupId: string
  /** Is there no link yet? */
  isFirst: boolean
  onMade(): void
  onLeave(): void
}

function LinkForm({ messenger, groupId, isFirst, onMade, onLeave }: LinkFormProps) {
  const [wish, setWish] = useState({ requiresApproval: false, afterMs: 0, usesMax: 0 })
  const { problem, isBusy, run } = useSubmission()
  const { isOffline } = useReach(messenger)
  const { requiresApproval, afterMs, usesMax } = wish
  const make = async () => {
    await messenger.groupDesk.makeInvite(groupId, {
      requiresApproval,
      ...(usesMax > 0 && { usesMax }),
      ...(afterMs > 0 && { endsAt: messenger.now() + afterMs }),
    })
    onMade()
  }
  return (
    <DialogForm
      action="Make link"
      problem={problem && isOffline ? "You're offline. Making a link needs a connection." : problem}
      isBusy={isBusy}
      onSubmit={() => void run(make)}
      onLeave={onLeave}
    >
      <p className={styles.words}>
        {isFirst
          ? 'Whoever has the link can join the group. Only admins see it here.'
          : 'The link from before stops working.'}
      </p>
      <label className={styles.approval}>
        <input
          type="checkbox"
          checked={requiresApproval}
          onChange={({ target }) => setWish({ ...wish, requiresApproval: target.checked })}
        />
        <span>An admin approves each person</span>
      </label>
      <DialogField label="Ends">
        <select
          value={afterMs}
          onChange={({ target }) => setWish({ ...wish, afterMs: Number(target.value) })}
        >
          {ends.map((one) => (
            <option key={one.afterMs} value={one.afterMs}>
              {one.name}
            </option>
          ))}
        </select>
      </DialogField>
      <DialogField label="For">
        <select
          value={usesMax}
          onChange={({ target }) => setWish({ ...wish, usesMax: Number(target.value) })}
        >
          {limits.map((most) => (
            <option key={most} value={most}>
              {most === 0 ? 'Any number of people' : countPeople(most)}
            </option>
          ))}
        </select>
      </DialogField>
    </DialogForm>
  )
}

const requestsLabel = 'Requests to join'

/** Leads to the requests where the group's info lies beside the chat. @returns whether it does */
function showRequests(): boolean {
  const list = document.querySelector<HTMLElement>(`ul[aria-label="${requestsLabel}"]`)
  list?.scrollIntoView({ block: 'center' })
  list?.querySelector('button')?.focus({ preventScroll: true })
  return list !== null
}

/** Who asks to join, beneath their row; no row where nobody does. */
function RequestsRow({ messenger, group }: GroupProps) {
  const { groupDesk } = messenger
  const { isLive, isOffline } = useReach(messenger)
  const asked = groupDesk.requests(group._id)
  const { known } = useAskedValue(asked, { isLive, onHint: groupDesk.onHint })
  const [isOpen, setIsOpen] = useState(true)
  const answers = useAnswers(messenger, group._id)
  const waiting = listWaiting(known?.value, group)
  if (waiting.length === 0) return null
  return (
    <PanelRow
      icon="users"
      label={requestsLabel}
      end={String(waiting.length)}
      isNew
      isExpanded={isOpen}
      onClick={() => setIsOpen(!isOpen)}
    >
      {isOpen && (
        <ul className={styles.requests} aria-label={requestsLabel}>
          {waiting.map(({ userId, askedAt }) => (
            <Request
              key={userId}
              messenger={messenger}
              userId={userId}
              askedAt={Date.parse(askedAt)}
              answer={answers.get(userId)}
              isOffline={isOffline}
              onAnswer={(isAccepted) =>
                void groupDesk.answerRequest({ groupId: group._id, userId, isAccepted })
              }
            />
          ))}
        </ul>
      )}
    </PanelRow>
  )
}

/** Somebody who came in meanwhile, as this device knows, waits no more. */
function listWaiting(
  known: readonly { userId: string; askedAt: string }[] | undefined,
  { members }: KnownGroup,
) {
  const inside = new Set(members.map(({ userId }) => userId))
  return known?.filter(({ userId }) => !inside.has(userId)) ?? []
}

/** What was answered and has yet to reach the server, by who asked. */
function useAnswers({ requests }: Pick<Messenger, 'requests'>, groupId: string) {
  const entries = useLiveValue(requests.entries)
  return useMemo(() => {
    const answers = new Map<string, { entry: RequestEntry; isAccepted: boolean }>()
    for (const entry of entries) {
      const { request, state } = entry
      if (state !== 'waiting' || request.kind !== 'join-answer') continue
      const { userId, isAccepted } = request
      if (request.groupId === groupId) answers.set(userId, { entry, isAccepted })
    }
    return answers
  }, [entries, groupId])
}

interface RequestProps {
  messenger: Messenger
  userId: string
  askedAt: number
  /** Given here, and not taken by the server yet. */
  answer: { entry: RequestEntry; isAccepted: boolean } | undefined
  isOffline: boolean
  onAnswer(isAccepted: boolean): void
}

function Request(props: RequestProps) {
  const { messenger, userId, askedAt, answer, isOffline, onAnswer } = props
  const person = useLiveValue(messenger.users.get(userId))
  const name = nameOf(person)
  const isKept = answer && (isOffline || answer.entry.problem !== undefined)
  return (
    <li className={styles.request}>
      <Avatar name={name} picture={pictureOf(person)} size={2.5} />
      <span className={styles.who}>
        <span dir="auto">{name}</span>
        <small>
          {isKept
            ? `${answer.isAccepted ? 'Accepted' : 'Declined'} · waiting`
            : `Asked ${formatLastSeen(askedAt, messenger.now()).toLowerCase()}`}
        </small>
      </span>
      <span className={styles.answers}>
        {isKept ? (
          <Button
            look="quiet"
            aria-label={`Take back the answer to ${name}`}
            onClick={() => void messenger.requests.discard(answer.entry._id)}
          >
            Take back
          </Button>
        ) : (
          <>
            <Button
              look="quiet"
              isBusy={answer !== undefined}
              aria-label={`Decline ${name}`}
              onClick={() => onAnswer(false)}
            >
              Decline
            </Button>
            <Button
              isBusy={answer !== undefined}
              aria-label={`Accept ${name}`}
              onClick={() => onAnswer(true)}
            >
              Accept
            </Button>
          </>
        )}
      </span>
    </li>
  )
}

interface JoinRequestsNoticeProps extends GroupProps {
  onOpen(): void
}

/** A line in the chat that says to admins that somebody asks to join. */
export function JoinRequestsNotice({ messenger, group, onOpen }: JoinRequestsNoticeProps) {
  if (!readRights(group, messenger.userId).isAdmin) return null
  return <AdminNotice messenger={messenger} group={group} onOpen={onOpen} />
}

function AdminNotice({ messenger, group, onOpen }: JoinRequestsNoticeProps) {
  const { groupDesk } = messenger
  const { isLive } = useReach(messenger)
  const { known } = useAskedValue(groupDesk.requests(group._id), {
    isLive,
    onHint: groupDesk.onHint,
  })
  const answers = useAnswers(messenger, group._id)
  const count = listWaiting(known?.value, group).filter(({ userId }) => !answers.has(userId)).length
  return (
    <div role="status">
      {count > 0 && (
        <button type="button" className={styles.notice} onClick={() => showRequests() || onOpen()}>
          <Icon name="users" size={18} />
          <span>{count === 1 ? '1 person asks to join' : `${count} people ask to join`}</span>
          <span className={styles.way}>Review</span>
        </button>
      )}
    </div>
  )
}
