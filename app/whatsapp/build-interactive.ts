import { isBlank } from '../../schema/helpers/text.ts'
import type { InteractivePayload } from '../../schema/whatsapp-payload.ts'
import type { Outgoing } from './channel.ts'

/** The lines above and below the text; skips empty ones. */
export interface FrameForm {
  header: string
  footer: string
}

export interface ButtonsForm extends FrameForm {
  text: string
  /** Skips empty ones. */
  titles: readonly string[]
}

export interface ListForm extends FrameForm {
  text: string
  button: string
  sections: readonly SectionForm[]
}

export interface SectionForm {
  title: string
  /** Skips those without a title. */
  rows: readonly { title: string; description: string }[]
}

export type Built = { outgoing: Outgoing } | { problem: string }

const needsText = 'Write the text that stands above it.'

/** A message with up to three buttons, or the problem. */
export function buildButtons(form: ButtonsForm): Built {
  const titles = form.titles.map((title) => title.trim()).filter(Boolean)
  if (isBlank(form.text)) return { problem: needsText }
  if (titles.length === 0) return { problem: 'Give at least one button its words.' }
  if (hasTwice(titles)) return { problem: 'Two buttons say the same. Change one of them.' }
  const buttons = titles.map((title, index) => ({
    type: 'reply' as const,
    reply: { id: `btn_${index}`, title },
  }))
  return toOutgoing({ type: 'button', ...buildFrame(form), action: { buttons } })
}

/** A message with a list, or the problem. */
export function buildList(form: ListForm): Built {
  const sections = form.sections
    .map(({ title, rows }) => ({
      title: title.trim(),
      rows: rows.filter((row) => !isBlank(row.title)),
    }))
    .filter(({ rows }) => rows.length > 0)
  if (isBlank(form.text)) return { problem: needsText }
  if (isBlank(form.button)) return { problem: 'Write what the button says that opens the list.' }
  if (sections.length === 0) return { problem: 'Give at least one choice its words.' }
  if (sections.length > 1 && sections.some(({ title }) => title === '')) {
    return { problem: 'Give each section a title.' }
  }
  const counted = { count: 0 }
  return toOutgoing({
    type: 'list',
    ...buildFrame(form),
    action: {
      button: form.button.trim(),
      sections: sections.map(({ title, rows }) => ({
        ...(title && { title }),
        rows: rows.map((row) => {
          const description = row.description.trim()
          counted.count += 1
          return {
            id: `row_${counted.count}`,
            title: row.title.trim(),
            ...(description && { description }),
          }
        }),
      })),
    },
  })
}

function buildFrame(form: FrameForm & { text: string }) {
  const [header, footer] = [form.header.trim(), form.footer.trim()]
  return {
    ...(header && { header: { type: 'text', text: header } }),
    body: { text: form.text.trim() },
    ...(footer && { footer: { text: footer } }),
  }
}

function toOutgoing(interactive: InteractivePayload): Built {
  return {
    outgoing: {
      content: interactive.body.text,
      business: { type: 'interactive', interactive: toJson(interactive) },
    },
  }
}

/** Drops what JSON cannot hold, such as undefined: documents are plain JSON. */
function toJson(value: unknown): Outgoing['business']['interactive'] {
  return JSON.parse(JSON.stringify(value))
}

function hasTwice(words: readonly string[]): boolean {
  return new Set(words).size < words.length
}
