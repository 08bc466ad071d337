import { FactList } from './fact-list.tsx'
import { ReportSection, type ReportSectionProps } from './report-section.tsx'
import styles from './settings.module.css'
import { ShortcutList } from './shortcut-list.tsx'

/** Lists the keyboard shortcuts, explains offline use, and leads to help. */
export function HelpSection(props: ReportSectionProps) {
  return (
    <>
      <section aria-labelledby="shortcuts">
        <h2 id="shortcuts" className={styles.heading}>
          Keyboard shortcuts
        </h2>
        <ShortcutList />
      </section>
      <section aria-labelledby="offline">
        <h2 id="offline" className={styles.heading}>
          When you're offline
        </h2>
        <FactList
          facts={[
            {
              name: 'Reading and searching',
              about: 'You can read and search everything on this device.',
            },
            {
              name: 'Writing',
              about: "Messages show a clock and send automatically when you're back online.",
            },
            {
              name: "When a message isn't sent",
              about: 'It says why, and you can retry, edit, copy or discard it.',
            },
          ]}
        />
      </section>
      <ReportSection {...props} />
    </>
  )
}
