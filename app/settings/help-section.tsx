import { FactList } from './fact-list.tsx'
import styles from './settings.module.css'

const shortcuts = [
  ['Enter', 'Send'],
  ['Shift + Enter', 'New line'],
  ['Ctrl + F or Ctrl + K', 'Search in the open chat'],
  ['F3 and Shift + F3', 'Next and previous result'],
  ['Arrow keys, Home, End', 'Move between chats and messages'],
  ['Arrow right on a chat', 'Open chat actions'],
  ['Enter on a message', 'Open message actions'],
  ['Escape', 'Leave search, selection, reply or menu'],
] as const

/** Lists the keyboard shortcuts and explains offline use. */
export function HelpSection() {
  return (
    <>
      <section aria-labelledby="shortcuts">
        <h2 id="shortcuts" className={styles.heading}>
          Keyboard shortcuts
        </h2>
        <dl className={styles.keys}>
          {shortcuts.map(([keys, does]) => (
            <div key={keys}>
              <dt>{does}</dt>
              <dd>{keys}</dd>
            </div>
          ))}
        </dl>
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
    </>
  )
}
