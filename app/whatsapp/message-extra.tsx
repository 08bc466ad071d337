import type { ReactNode } from 'react'
import * as z from 'zod/mini'
import type { MessageDocument } from '../../schema/message.ts'
import { Icon } from '../ui/icons/icon.tsx'
import styles from './message-extra.module.css'

const header = z.optional(z.catch(z.looseObject({ text: z.optional(z.string()) }), {}))

const footer = header

const titled = z.looseObject({ title: z.string() })

const described = z.looseObject({ title: z.string(), description: z.optional(z.string()) })

const interactive = z.union([
  z.looseObject({
    type: z.literal('button'),
    header,
    footer,
    action: z.looseObject({ buttons: z.array(z.looseObject({ reply: titled })) }),
  }),
  z.looseObject({
    type: z.literal('list'),
    header,
    footer,
    action: z.looseObject({
      button: z.string(),
      sections: z.array(z.looseObject({ title: z.optional(z.string()), rows: z.array(described) })),
    }),
  }),
  z.looseObject({ type: z.literal('button_reply'), button_reply: described }),
  z.looseObject({ type: z.literal('list_reply'), list_reply: described }),
])

const listOf = <Entry extends z.ZodMiniType>(entry: Entry) =>
  z._default(z.catch(z.array(entry), []), [])

const contact = z.looseObject({
  name: z.looseObject({ formatted_name: z.string() }),
  org: z.optional(z.catch(z.looseObject({ company: z.optional(z.string()) }), {})),
  phones: listOf(z.looseObject({ phone: z.optional(z.string()), wa_id: z.optional(z.string()) })),
  emails: listOf(z.looseObject({ email: z.optional(z.string()) })),
})

const degrees = (max: number) =>
  z
    .pipe(
      z.union([z.number(), z.string().check(z.regex(/^-?\d{1,3}(\.\d+)?$/))]),
      z.transform(Number),
    )
    .check(z.gte(-max), z.lte(max))

const location = z.looseObject({ latitude: degrees(90), longitude: degrees(180) })

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

/** Why a customer's file is missing; undefined if it is here. */
export function describeMissingFile({
  media,
  error,
}: Pick<MessageDocument, 'media' | 'error'>): string | undefined {
  switch (media?.state) {
    case 'pending':
      return 'The file is on its way.'
    case 'failed':
      return error ?? "The file couldn't be fetched from WhatsApp."
    default:
      return undefined
  }
}

/** A map link for a shared place; undefined if the field is no place. */
export function findMapLink(field: unknown): string | undefined {
  const read = location.safeParse(field)
  if (!read.success) return undefined
  const { latitude, longitude } = read.data
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`
}

/** A shared contact card. */
interface ContactCard {
  name: string
  company?: string
  phones: readonly string[]
  emails: readonly string[]
}

/** The cards in the provider's field; skips unreadable ones. */
export function readContacts(field: unknown): ContactCard[] {
  if (!Array.isArray(field)) return []
  return field.flatMap((given) => {
    const read = contact.safeParse(given)
    if (!read.success) return []
    const { name, org, phones, emails } = read.data
    return {
      name: name.formatted_name,
      ...(org?.company && { company: org.company }),
      phones: phones.flatMap(({ phone, wa_id }) => phone ?? (wa_id ? `+${wa_id}` : [])),
      emails: emails.flatMap(({ email }) => email ?? []),
    }
  })
}

/** The parts of an interactive message besides its text, which is the message's content. */
type Interactive =
  | { kind: 'buttons'; header?: string; footer?: string; titles: readonly string[] }
  | {
      kind: 'list'
      header?: string
      footer?: string
      button: string
      sections: readonly {
        title?: string
        rows: readonly { title: string; description?: string }[]
      }[]
    }
  /** The other person's choice: its title is the message's content. */
  | { kind: 'choice'; description?: string }

/** Parses the provider's field; undefined for kinds that this version does not know. */
export function readInteractive(field: unknown): Interactive | undefined {
  const read = interactive.safeParse(field)
  if (!read.success) return undefined
  const given = read.data
  switch (given.type) {
    case 'button':
      return {
        kind: 'buttons',
        ...frame(given),
        titles: given.action.buttons.map(({ reply }) => reply.title),
      }
    case 'list': {
      const { button, sections } = given.action
      return { kind: 'list', ...frame(given), button, sections: sections.map(readSection) }
    }
    case 'button_reply':
      return { kind: 'choice', ...describe(given.button_reply) }
    case 'list_reply':
      return { kind: 'choice', ...describe(given.list_reply) }
  }
}

interface FrameFields {
  header?: { text?: string | undefined } | undefined
  footer?: { text?: string | undefined } | undefined
}

function frame({ header, footer }: FrameFields) {
  return {
    ...(header?.text && { header: header.text }),
    ...(footer?.text && { footer: footer.text }),
  }
}

function readSection({ title, rows }: { title?: string | undefined; rows: readonly Described[] }) {
  return {
    ...(title && { title }),
    rows: rows.map((row) => ({ title: row.title, ...describe(row) })),
  }
}

interface Described {
  title: string
  description?: string | undefined
}

function describe({ description }: Described): { description?: string } {
  return description ? { description } : {}
}
