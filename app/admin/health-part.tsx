import { useCallback, useEffect, useState } from 'react'
import { Button } from '../ui/buttons/button.tsx'
import { formatBytes } from '../ui/format/format-amounts.ts'
import { formatLastSeen } from '../ui/format/format-times.ts'
import { Icon } from '../ui/icons/icon.tsx'
import styles from './admin.module.css'
import { done, type HealthShown, healthAnswer } from './admin-answers.ts'
import { AskDialog } from './ask-dialog.tsx'
import { type PartProps, Problem } from './part.tsx'
import { useAsked } from './use-asked.ts'

/** How often the server measures. */
const everyMs = 15_000
const samplesAMinute = 4

/** How the server is, with what needs somebody; and messages to everybody. */
export function HealthPart({ calls, onSaid, onProblem }: PartProps) {
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

const chart = { width: 120, height: 36 }

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
