import { useCallback, useState } from 'react'
import { Button } from '../ui/buttons/button.tsx'
import { formatLastSeen } from '../ui/format/format-times.ts'
import styles from './admin.module.css'
import { done, type Report, reportsAnswer } from './admin-answers.ts'
import { AskDialog, type AskDialogProps } from './ask-dialog.tsx'
import { type PartProps, Problem, useAsked } from './part.tsx'

const states: Record<Report['state'], string> = {
  open: 'Open',
  dismissed: 'Dismissed',
  warned: 'Warned',
  disabled: 'Account disabled',
}

/** What people reported. Each is answered once, and its reporter hears what became of it. */
export function Reports({ calls, onSaid, onProblem }: PartProps) {
  const [isAll, setIsAll] = useState(false)
  const [asking, setAsking] = useState<Omit<AskDialogProps, 'onClose'>>()
  const ask = useCallback(
    () => calls.run({ action: 'reports list', input: { all: isAll }, answer: reportsAnswer }),
    [calls, isAll],
  )
  const { answer, problem, load } = useAsked(ask)

  const decide = (id: string, word: string) => async (given: Record<string, string>) => {
    const filled = Object.entries(given).filter(([, value]) => value !== '')
    const input = { id, ...Object.fromEntries(filled) }
    const { said } = await calls.run({ action: `reports ${word}`, input, answer: done })
    onSaid(said)
    await load()
  }
  const reason = { name: 'reason', label: 'Reason', hint: 'For the audit log. Optional.' }

  return (
    <section aria-label="Reports">
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={isAll}
          onChange={(event) => setIsAll(event.target.checked)}
        />
        Answered ones, too
      </label>
      <Problem words={problem} onAgain={onProblem} />
      <ul className={styles.cards}>
        {answer?.reports.map((report) => (
          <li key={report.id} className={styles.card}>
            <p className={styles.cardTitle}>
              <b dir="auto">{report.about}</b>
              {report.hasLeft && ' (has left)'}
              <span className={styles.tag}>{states[report.state]}</span>
            </p>
            <blockquote dir="auto">{report.reason}</blockquote>
            {report.messages.length > 0 && (
              <ul className={styles.reported} aria-label="Last messages">
                {report.messages.map(({ by, text, writtenAt }, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: they never move.
                  <li key={at} dir="auto">
                    <b>{by}</b> {text}{' '}
                    <time dateTime={writtenAt}>
                      {formatLastSeen(Date.parse(writtenAt), Date.now())}
                    </time>
                  </li>
                ))}
              </ul>
            )}
            <p className={styles.note}>
              Reported by {report.by}, {formatLastSeen(Date.parse(report.reportedAt), Date.now())}
            </p>
            {report.state === 'open' && (
              <div className={styles.offers}>
                <Button
                  look="quiet"
                  onClick={() =>
                    setAsking({
                      title: 'Dismiss this report?',
                      text: `${report.by} hears that nothing more is done.`,
                      fields: [reason],
                      action: 'Dismiss',
                      onDo: decide(report.id, 'dismiss'),
                    })
                  }
                >
                  Dismiss
                </Button>
                {!report.hasLeft && (
                  <>
                    <Button
                      look="quiet"
                      onClick={() =>
                        setAsking({
                          title: `Warn ${report.about}?`,
                          text: `They get a message from this server. ${report.by} hears that they were warned.`,
                          fields: [
                            {
                              name: 'text',
                              label: 'Message',
                              kind: 'lines',
                              hint: 'Empty for the usual words.',
                            },
                            reason,
                          ],
                          action: 'Warn',
                          onDo: decide(report.id, 'warn'),
                        })
                      }
                    >
                      Warn
                    </Button>
                    <Button
                      look="danger"
                      onClick={() =>
                        setAsking({
                          title: `Disable ${report.about}?`,
                          text: 'Ends their sign-ins at once, and lets them sign in no more.',
                          fields: [reason],
                          action: 'Disable',
                          isDanger: true,
                          onDo: decide(report.id, 'disable'),
                        })
                      }
                    >
                      Disable
                    </Button>
                  </>
                )}
              </div>
            )}
          </li>
        ))}
      </ul>
      <p className={styles.note} role="status">
        {answer?.reports.length === 0 && (isAll ? 'Nobody reported anything.' : 'No open reports.')}
      </p>
      {asking && <AskDialog {...asking} onClose={() => setAsking(undefined)} />}
    </section>
  )
}
