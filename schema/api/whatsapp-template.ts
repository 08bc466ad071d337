import * as z from 'zod/mini'

/**
 * A template as WhatsApp lists it: a component's `type` is HEADER, BODY, FOOTER or BUTTONS,
 * placeholders are `{{1}}` or, with `parameter_format` NAMED, `{{name}}`. Lists only approved ones.
 */
export const whatsAppTemplate = z.object({
  id: z.string(),
  name: z.string(),
  language: z.string(),
  category: z.string(),
  status: z.string(),
  parameter_format: z.optional(z.string()),
  components: z.array(
    z.looseObject({
      type: z.string(),
      format: z.optional(z.string()),
      text: z.optional(z.string()),
    }),
  ),
})
export type WhatsAppTemplate = z.infer<typeof whatsAppTemplate>
