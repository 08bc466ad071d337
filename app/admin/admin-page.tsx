import { type FormEvent, useCallback, useEffect, useState } from 'react'
import { Link } from 'react-router-dom'
import { wordsOf } from '../../schema/helpers/text.ts'
import type { AdminCalls } from '../api/admin-calls.ts'
import { Button } from '../ui/buttons/button.tsx'
import { InviteCard } from '../ui/codes/invite-card.tsx'
import { QrCode } from '../ui/codes/qr-code.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { formatBytes } from '../ui/format/format-amounts.ts'
import { formatLastSeen } from '../ui/format/format-times.ts'
import { DialogField, DialogProblem } from '../ui/forms/dialog-form.tsx'
import { Icon } from '../ui/icons/icon.tsx'
import { Page } from '../ui/layout/page.tsx'
import styles from './admin.module.css'
import {
  auditAnswer,
  done,
  type HealthShown,
  healthAnswer,
  invitationsAnswer,
  linkAnswer,
} from './admin-answers.ts'
import { AskDialog } from './ask-dialog.tsx'
import { type PartProps, Problem, useAsked } from './part.tsx'
import { People } from './people.tsx'
import { Reports } from './reports.tsx'

const parts = [
  { path: 'people', name: 'People' },
  { path: 'reports', name: 'Reports' },
  { path: 'invitations', name: 'Invitations' },
  { path: 'health', name: 'Health' },
  { path: 'audit', name: 'Audit' },
] as const

/** How often the server measures. */
const everyMs = 15_000

const samplesAMinute = 4

const chart = { width: 120, height: 36 }

interface AdminPageProps {
  calls: AdminCalls
  /** The part that is open; undefined for the first. */
  part: string | undefined
  onBack(): void
}

/** Administration of the server, for admins who have shown their second factor in this session. */
export function AdminPage({ calls, part, onBack }: AdminPageProps) {
  const { answer, problem, load } = useAsked(calls.readSecondFactor)
  const [said, setSaid] = useState('')
  const current = parts.find(({ path }) => path === part)?.path ?? 'people'
  const say = useCallback((words: string | undefined) => setSaid(words ?? ''), [])
  const shared = { calls, onSaid: say, onProblem: load }
  return (
    <Page title="Administration" backLabel="Back to settings" onBack={onBack}>
      {problem !== undefined && (
        <div className={styles.problem}>
          <p role="alert">{problem}</p>
          <Button look="quiet" onClick={() => void load()}>
            Try again
          </Button>
        </div>
      )}
      {!answer && problem === undefined && <p role="status">Loading...</p>}
      {answer && !answer.isConfirmed && (
        <SecondFactor calls={calls} hasOne={answer.hasSecondFactor} onConfirmed={load} />
      )}
      {answer?.isConfirmed && (
        <div className={styles.admin}>
          <nav className={styles.tabs} aria-label="Parts of administration">
            {parts.map(({ path, name }) => (
              <Link
                key={path}
                to={`/admin/${path}`}
                replace
                aria-current={path === current ? 'page' : undefined}
                onClick={() => setSaid('')}
              >
                {name}
              </Link>
            ))}
          </nav>
          <p className={styles.said} role="status">
            {said}
          </p>
          {current === 'people' && <People {...shared} />}
          {current === 'reports' && <Reports {...shared} />}
          {current === 'invitations' && <Invitations {...shared} />}
          {current === 'health' && <HealthPart {...shared} />}
          {current === 'audit' && <Audit calls={calls} />}
        </div>
      )}
    </Page>
  )
}

/** What was done, by which admin, and why; the latest first. */
function Audit({ calls }: Pick<PartProps, 'calls'>) {
  const ask = useCallback(
    () => calls.run({ action: 'audit', input: { limit: 200 }, answer: auditAnswer }),
    [calls],
  )
  const { answer, problem, load } = useAsked(ask)
  return (
    <section aria-label="Audit">
      <Problem words={problem} onAgain={load} />
      <ol className={styles.list}>
        {answer?.entries.map(({ at, by, action, subject, reason }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be the same in all they say
          <li key={`${at} ${place}`} className={styles.item}>
            <span className={styles.words}>
              <span dir="auto">
                {action}
                {subject && ` · ${subject}`}
              </span>
              <small dir="auto">
                {by.replace(/ \(.*\)$/, '')}, {formatLastSeen(Date.parse(at), Date.now())}
                {reason && ` · ${reason}`}
              </small>
            </span>
          </li>
        ))}
      </ol>
      <p className={styles.note} role="status">
        {answer?.entries.length === 0 && 'Nothing was done yet.'}
      </p>
    </section>
  )
}

interface SecondFactorProps {
  calls: AdminCalls
  hasOne: boolean
  onConfirmed(): Promise<void>
}

/** Asks for a code of the authenticator app; makes one for who has none. */
function SecondFactor({ calls, hasOne, onConfirmed }: SecondFactorProps) {
  const [begun, setBegun] = useState<{ secret: string; uri: string }>()
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)

  async function attempt(work: () => Promise<void>) {
    setProblem(undefined)
    setIsBusy(true)
    await work().catch((cause: unknown) => setProblem(wordsOf(cause)))
    setIsBusy(false)
  }

  const begin = () => attempt(async () => setBegun(await calls.beginSecondFactor()))

  function submit(event: FormEvent) {
    event.preventDefault()
    void attempt(async () => {
      await calls.confirmSecondFactor(code.replace(/\s/g, ''))
      await onConfirmed()
    })
  }

  if (!hasOne && !begun) {
    return (
      <section className={styles.factor}>
        <h2>Add a second factor</h2>
        <p>
          Administration needs more than your password: a code of an authenticator app, such as
          Aegis, 2FAS or the one in your password manager.
        </p>
        {problem && <DialogProblem>{problem}</DialogProblem>}
        <Button isBusy={isBusy} onClick={() => void begin()}>
          Set it up
        </Button>
      </section>
    )
  }
  return (
    <section className={styles.factor}>
      <h2>{begun ? 'Scan this with your authenticator app' : 'Enter a code'}</h2>
      {begun && (
        <>
          <div className={styles.code}>
            <QrCode text={begun.uri} label="QR code for your authenticator app" />
          </div>
          <p>
            On this device? <a href={begun.uri}>Open the app</a>, or type this key into it:
          </p>
          <code className={styles.secret}>{begun.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
        </>
      )}
      <form className={styles.form} noValidate onSubmit={submit}>
        <DialogField label="Code with six digits">
          <input
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={7}
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        </DialogField>
        <p className={styles.note}>This device stays open for twelve hours.</p>
        {problem && <DialogProblem>{problem}</DialogProblem>}
        <Button type="submit" isBusy={isBusy}>
          Continue
        </Button>
      </form>
    </section>
  )
}

/** How the server is, with what needs somebody; and messages to everybody. */
function HealthPart({ calls, onSaid, onProblem }: PartProps) {
  const [isWriting, setIsWriting] = useState(false)
  const ask = useCallback(() => calls.run({ action: 'health', answer: healthAnswer }), [calls])
  const { answer, problem, load } = useAsked(ask)
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && void load(), everyMs)
    return () => clearInterval(timer)
  }, [load])
  return (
    <section aria-label="Health">
      <Problem words={problem} onAgain={onProblem} />
      {!answer && problem === undefined && <p role="status">Loading...</p>}
      {answer && <Figures health={answer} />}
      <div className={styles.top}>
        <Button look="quiet" onClick={() => setIsWriting(true)}>
          Write to everybody
        </Button>
      </div>
      {isWriting && (
        <AskDialog
          title="A message to everybody"
          text="It comes from this server, also to people who take no first messages. Nobody can answer it."
          fields={[{ name: 'text', label: 'Message', kind: 'lines' }]}
          action="Send to everybody"
          onDo={async (input) => {
            onSaid((await calls.run({ action: 'announce', input, answer: done })).said)
          }}
          onClose={() => setIsWriting(false)}
        />
      )}
    </section>
  )
}

function Figures({ health }: { health: HealthShown }) {
  const { history, warnings } = health
  return (
    <>
      {warnings.length > 0 ? (
        <ul className={styles.warnings}>
          {warnings.map((words) => (
            <li key={words}>
              <Icon name="warning" size={20} /> {words}
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.fine}>
          <Icon name="check" size={20} /> Nothing needs you.
        </p>
      )}
      <ul className={styles.charts}>
        <Chart name="People online" values={history.online} now={`${health.peopleOnline}`} />
        <Chart
          name="Messages a minute"
          values={history.messages.map((count) => count * samplesAMinute)}
          now={`${health.messagesPerMinute}`}
        />
        <Chart name="Delay" values={history.delayMs} now={`${health.delayP99Ms} ms`} />
        <Chart name="Memory" values={history.memoryMb} now={`${health.memoryMb} MB`} />
      </ul>
      <dl className={styles.facts}>
        {listFacts(health).map(([name, words]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

function listFacts(health: HealthShown): readonly (readonly [string, string])[] {
  const { diskLeftMb, lastBackup, certificateEnds } = health
  return [
    ['Version', health.version],
    ['Running for', describeSpan(health.uptimeSeconds)],
    ['Devices online', String(health.devicesOnline)],
    ['Writes that wait', String(health.waitingWrites)],
    ['Disk left', diskLeftMb === null ? 'Not here' : formatBytes(diskLeftMb * 2 ** 20)],
    [
      'Last backup',
      lastBackup === null ? 'Never' : formatLastSeen(Date.parse(lastBackup), Date.now()),
    ],
    ...(certificateEnds === null
      ? []
      : [['Certificate ends', new Date(certificateEnds).toLocaleDateString()] as const]),
    ['WhatsApp', health.whatsApp === 'off' ? 'Off' : health.whatsApp],
  ]
}

function describeSpan(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  return minutes < 2 * 24 * 60
    ? `${Math.floor(minutes / 60)} h`
    : `${Math.floor(minutes / 1440)} days`
}

/** The last hour as a line, and what it is now. */
function Chart({ name, values, now }: { name: string; values: readonly number[]; now: string }) {
  const most = Math.max(...values, 1)
  const step = chart.width / Math.max(values.length - 1, 1)
  const points = values.map(
    (value, at) =>
      `${(at * step).toFixed(1)} ${(chart.height - 1 - (value / most) * (chart.height - 4)).toFixed(1)}`,
  )
  const line = points.length > 1 ? `M${points.join('L')}` : `M0 ${chart.height - 1}H${chart.width}`
  return (
    <li className={styles.chart}>
      <span className={styles.chartName}>{name}</span>
      <b>{now}</b>
      <svg
        viewBox={`0 0 ${chart.width} ${chart.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name} in the last hour: at most ${Math.max(...values, 0)}`}
      >
        <path className={styles.area} d={`${line}V${chart.height}H0Z`} />
        <path className={styles.line} d={line} />
      </svg>
    </li>
  )
}

/** Who may come in, where an account needs an invitation; and messages to everybody. */
function Invitations({ calls, onSaid, onProblem }: PartProps) {
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
