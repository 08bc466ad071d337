import { useState } from 'react'
import { wordsOf } from '../../schema/helpers/words-of.ts'
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
}

/** A report about the app's state: read first, then sent by the person's own mail, or saved. */
export function ReportSection({ supportEmail, writeReport }: ReportSectionProps) {
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
              <Button look="quiet" onClick={() => saveReport(text)}>
                Save as a file
              </Button>
            </div>
          </>
        )}
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

function saveReport(text: string) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${productName.toLowerCase()}-report.txt`
  link.click()
  URL.revokeObjectURL(url)
}
