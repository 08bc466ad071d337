import { type FormEvent, useCallback, useState } from 'react'
import { Link } from 'react-router-dom'
import { wordsOf } from '../../schema/helpers/text.ts'
import type { AdminCalls } from '../api/admin-calls.ts'
import { Button } from '../ui/buttons/button.tsx'
import { QrCode } from '../ui/codes/qr-code.tsx'
import { formatLastSeen } from '../ui/format/format-times.ts'
import { DialogField, DialogProblem } from '../ui/forms/dialog-form.tsx'
import { Page } from '../ui/layout/page.tsx'
import styles from './admin.module.css'
import { auditAnswer } from './admin-answers.ts'
import { HealthPart } from './health-part.tsx'
import { Invitations } from './invitations.tsx'
import { type PartProps, Problem } from './part.tsx'
import { People } from './people.tsx'
import { Reports } from './reports.tsx'
import { useAsked } from './use-asked.ts'

const parts = [
  { path: 'people', name: 'People' },
  { path: 'reports', name: 'Reports' },
  { path: 'invitations', name: 'Invitations' },
  { path: 'health', name: 'Health' },
  { path: 'audit', name: 'Audit' },
] as const

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
