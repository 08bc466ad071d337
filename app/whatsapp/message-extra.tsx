import type { ReactNode } from 'react'
import type { MessageDocument } from '../../schema/message.ts'
import { Icon } from '../ui/icon.tsx'
import { findMapLink } from './find-map-link.ts'
import styles from './message-extra.module.css'
import { type ContactCard, readContacts } from './read-contacts.ts'
import { type Interactive, readInteractive } from './read-interactive.ts'

/** What a business message shows above and below its text: headers, buttons, lists, places, contacts. */
export function drawMessageExtra(message: MessageDocument, place: 'above' | 'below'): ReactNode {
  const { interactive, location, contacts } = message
  if (interactive === undefined && location === undefined && contacts === undefined) return null
  const read = readInteractive(interactive)
  return place === 'above' ? (
    <Above interactive={read} />
  ) : (
    <Below {...{ message }} interactive={read} />
  )
}

function Above({ interactive }: { interactive: Interactive | undefined }) {
  if (!interactive || interactive.kind === 'choice' || !interactive.header) return null
  return (
    <p className={styles.header} dir="auto">
      {interactive.header}
    </p>
  )
}

interface BelowProps {
  message: MessageDocument
  interactive: Interactive | undefined
}

function Below({ message, interactive }: BelowProps) {
  const mapLink = findMapLink(message.location)
  return (
    <>
      {interactive && <Choices interactive={interactive} />}
      {mapLink && (
        <a className={styles.map} href={mapLink} target="_blank" rel="noreferrer noopener">
          <Icon name="pin" size={18} />
          Open in a map
        </a>
      )}
      {readContacts(message.contacts).map((card) => (
        <Card key={`${card.name} ${card.phones} ${card.emails}`} card={card} />
      ))}
    </>
  )
}

function Choices({ interactive }: { interactive: Interactive }) {
  switch (interactive.kind) {
    case 'choice':
      return (
        interactive.description && (
          <p className={styles.footer} dir="auto">
            {interactive.description}
          </p>
        )
      )
    case 'buttons':
      return (
        <>
          <Footer words={interactive.footer} />
          <ul className={styles.choices} aria-label="Buttons">
            {interactive.titles.map((title) => (
              <li key={title} dir="auto">
                {title}
              </li>
            ))}
          </ul>
        </>
      )
    case 'list':
      return (
        <>
          <Footer words={interactive.footer} />
          <details className={styles.list}>
            <summary dir="auto">{interactive.button}</summary>
            {interactive.sections.map(({ title, rows }) => (
              <div key={`${title} ${rows[0]?.title}`}>
                {title && <h4 dir="auto">{title}</h4>}
                <ul>
                  {rows.map((row) => (
                    <li key={`${row.title} ${row.description}`} dir="auto">
                      {row.title}
                      {row.description && <small>{row.description}</small>}
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </details>
        </>
      )
  }
}

function Footer({ words }: { words: string | undefined }) {
  if (!words) return null
  return (
    <p className={styles.footer} dir="auto">
      {words}
    </p>
  )
}

function Card({ card }: { card: ContactCard }) {
  return (
    <div className={styles.card}>
      <strong dir="auto">
        <Icon name="person" size={18} />
        {card.name}
      </strong>
      {card.company && <span dir="auto">{card.company}</span>}
      {card.phones.map((phone) => (
        <a key={phone} href={`tel:${phone.replace(/[^\d+]/g, '')}`}>
          {phone}
        </a>
      ))}
      {card.emails.map((email) => (
        <a key={email} href={`mailto:${encodeURIComponent(email)}`}>
          {email}
        </a>
      ))}
    </div>
  )
}
