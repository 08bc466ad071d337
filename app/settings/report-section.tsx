import { useState } from 'react'
import { version } from '../../schema/api/version.ts'
import { wordsOf } from '../../schema/helpers/text.ts'
import button from '../ui/buttons/button.module.css'
import { Button } from '../ui/buttons/button.tsx'
import { productName } from '../ui/product.ts'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import styles from './settings.module.css'

export interface ReportSectionProps {
  /** Where people of this server can ask for help, if anywhere. */
  supportEmail: string | undefined
  /** The report's text, without words, names or ids of anybody. */
  writeReport(): Promise<string>
  /** What the sync has done lately, as a file's text: no words, names or whole ids either. */
  writeTrace(): string
}

/** A report about the app's state: read first, then sent by the person's own mail, or saved. */
export function ReportSection({ supportEmail, writeReport, writeTrace }: ReportSectionProps) {
  const [text, setText] = useState<string>()
  const [problem, setProblem] = useState<string>()
  return (
    <section aria-labelledby="contact">
      <h2 id="contact" className={styles.heading}>
        {supportEmail ? 'Contact' : 'Report a problem'}
      </h2>
      <div className={styles.stack}>
        {supportEmail && (
          <p>
            Questions or problems? Write to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
          </p>
        )}
        <p className={styles.note}>
          A report says how {productName} is doing on this device. It has no messages, names or
          numbers of people. You read it before it goes.
        </p>
        {text === undefined ? (
          <Button
            look="quiet"
            onClick={() =>
              void writeReport().then(setText, (cause: unknown) => setProblem(wordsOf(cause)))
            }
          >
            Write a report
          </Button>
        ) : (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard */}
            <section className={styles.report} tabIndex={0} aria-label="Report">
              <pre>{text}</pre>
            </section>
            <div className={styles.actions}>
              {supportEmail && (
                <a
                  className={joinClassNames(button.button, button.primary)}
                  href={addressReport(supportEmail, text)}
                >
                  Send by email
                </a>
              )}
              <Button look="quiet" onClick={() => saveText(text, 'report.txt')}>
                Save as a file
              </Button>
            </div>
          </>
        )}
        <p className={styles.note}>
          If messages go missing or wait too long, a sync trace helps to find out why. It has the
          times and kinds of what went between this device and the server, and no messages or names.
        </p>
        <Button look="quiet" onClick={() => saveText(writeTrace(), 'sync-trace.json')}>
          Save a sync trace
        </Button>
        <p className={styles.note}>{`${productName} ${version}`}</p>
        {problem && (
          <p className={styles.error} role="alert">
            {problem}
          </p>
        )}
      </div>
    </section>
  )
}

function addressReport(supportEmail: string, text: string): string {
  const subject = encodeURIComponent(`${productName} report`)
  return `mailto:${supportEmail}?subject=${subject}&body=${encodeURIComponent(text)}`
}

function saveText(text: string, name: string) {
  const type = name.endsWith('.json') ? 'application/json' : 'text/plain'
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${productName.toLowerCase()}-${name}`
  link.click()
  URL.revokeObjectURL(url)
}
