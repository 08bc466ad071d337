import { FactList } from './fact-list.tsx'
import styles from './settings.module.css'

const shortcuts = [
  ['Enter', 'Send'],
  ['Shift + Enter', 'New line'],
  ['Ctrl + F or Ctrl + K', 'Search in the open chat'],
  ['F3 and Shift + F3', 'Next and previous result'],
  ['Arrow keys, Home, End', 'Move among chats and messages'],
  ['Arrow right on a chat', 'What can be done with it'],
  ['Enter on a message', 'What can be done with it'],
  ['Escape', 'Leave search, selection, reply or menu'],
] as const

/** The keys, and what happens without a network. */
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
          Without a network
        </h2>
        <FactList
          facts={[
            {
              name: 'Reading and searching',
              about: 'Everything that is on this device can be read and searched.',
            },
            {
              name: 'Writing',
              about: 'A message shows a clock and leaves by itself as soon as there is a network.',
            },
            {
              name: 'When something cannot be sent',
              about: 'The message says why, and you can retry, edit, copy or discard it.',
            },
          ]}
        />
      </section>
    </>
  )
}
