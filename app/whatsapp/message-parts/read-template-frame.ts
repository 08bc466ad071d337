import * as z from 'zod/mini'

const template = z.looseObject({
  data: z.looseObject({ header: z.optional(z.string()), footer: z.optional(z.string()) }),
})

/** What stands above and below the words of a template, which are the message's content. */
export interface TemplateFrame {
  kind: 'template'
  header?: string
  footer?: string
}

/** Reads it from the message's field; nothing of what has no frame. */
export function readTemplateFrame(field: unknown): TemplateFrame | undefined {
  const read = template.safeParse(field)
  if (!read.success) return undefined
  const { header, footer } = read.data.data
  return { kind: 'template', ...(header && { header }), ...(footer && { footer }) }
}
