import * as z from 'zod/mini'

/** The parts of an interactive message besides its text, which is the message's content. */
export type Interactive =
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

interface Frame {
  header?: { text?: string | undefined } | undefined
  footer?: { text?: string | undefined } | undefined
}

function frame({ header, footer }: Frame) {
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
