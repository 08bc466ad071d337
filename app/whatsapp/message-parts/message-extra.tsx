import type { ReactNode } from 'react'
import * as z from 'zod/mini'
import type { MessageDocument } from '../../../schema/message.ts'
import { Icon } from '../../ui/icons/icon.tsx'
import { describeMissingFile } from './describe-missing-file.ts'
import { findMapLink } from './find-map-link.ts'
import styles from './message-extra.module.css'
import { type ContactCard, readContacts } from './read-contacts.ts'
import { type Interactive, readInteractive } from './read-interactive.ts'

const template = z.looseObject({
  data: z.looseObject({ header: z.optional(z.string()), footer: z.optional(z.string()) }),
})

/** The parts above and below a template's text, which is the message's content. */
interface TemplateFrame {
  kind: 'template'
  header?: string
  footer?: string
}

type Frame = Interactive | TemplateFrame | undefined

/**
 * The parts of a business message above and below its text: its origin, headers, buttons, lists,
 * places, contacts, and a missing file.
 */
export function drawMessageExtra(message: MessageDocument, place: 'above' | 'below'): ReactNode {
  if (!message.isWhatsApp && !message.interactive && !message.template) return null
  const frame = readInteractive(message.interactive) ?? readTemplateFrame(message.template)
  return place === 'above' ? (
    <Above message={message} frame={frame} />
  ) : (
    <Below message={message} frame={frame} />
  )
}

interface PartProps {
  message: MessageDocument
  frame: Frame
}

function Above({ message, frame }: PartProps) {
  const { isForwarded, sentFrom } = message
  const header = frame && frame.kind !== 'choice' ? frame.header : undefined
  return (
    <>
      {isForwarded && <p className={styles.origin}>Forwarded</p>}
      {sentFrom && <p className={styles.origin}>Sent from the WhatsApp Business app</p>}
      {header && (
        <p className={styles.header} dir="auto">
          {header}
        </p>
      )}
    </>
  )
}

function Below({ message, frame }: PartProps) {
  const mapLink = findMapLink(message.location)
  const file = describeMissingFile(message)
  return (
    <>
      {frame && <Choices frame={frame} />}
      {mapLink && (
        <a className={styles.map} href={mapLink} target="_blank" rel="noreferrer noopener">
          <Icon name="pin" size={18} />
          Open in a map
        </a>
      )}
      {readContacts(message.contacts).map((card) => (
        <Card key={`${card.name} ${card.phones} ${card.emails}`} card={card} />
      ))}
      {file && <p className={styles.footer}>{file}</p>}
    </>
  )
}

function Choices({ frame }: { frame: NonNullable<Frame> }) {
  switch (frame.kind) {
    case 'choice':
      return (
        frame.description && (
          <p className={styles.footer} dir="auto">
            {frame.description}
          </p>
        )
      )
    case 'template':
      return <Footer words={frame.footer} />
    case 'buttons':
      return (
        <>
          <Footer words={frame.footer} />
          <ul className={styles.choices} aria-label="Buttons">
            {frame.titles.map((title) => (
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
          <Footer words={frame.footer} />
          <details className={styles.list}>
            <summary dir="auto">{frame.button}</summary>
            {frame.sections.map(({ title, rows }) => (
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

/** Parses the message's field; undefined if it has no frame. */
function readTemplateFrame(field: unknown): TemplateFrame | undefined {
  const read = template.safeParse(field)
  if (!read.success) return undefined
  const { header, footer } = read.data.data
  return { kind: 'template', ...(header && { header }), ...(footer && { footer }) }
}
