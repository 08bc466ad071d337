import * as z from 'zod/mini'

const template = z.looseObject({
  data: z.looseObject({ header: z.optional(z.string()), footer: z.optional(z.string()) }),
})

/** The parts above and below a template's text, which is the message's content. */
export interface TemplateFrame {
  kind: 'template'
  header?: string
  footer?: string
}

/** Parses the message's field; undefined if it has no frame. */
export function readTemplateFrame(field: unknown): TemplateFrame | undefined {
  const read = template.safeParse(field)
  if (!read.success) return undefined
  const { header, footer } = read.data.data
  return { kind: 'template', ...(header && { header }), ...(footer && { footer }) }
}
