import * as z from 'zod/mini'

/**
 * A message's `template`: its name, and `data`. `components` fill the placeholders in WhatsApp's
 * format, `rendered` is the filled-in body.
 */
export const templatePayload = z.object({
  name: z.string(),
  data: z.looseObject({
    language: z._default(z.string(), 'en'),
    components: z.optional(z.array(z.json())),
    rendered: z.optional(z.string()),
  }),
})

const text = z.looseObject({ text: z.string() })
const reply = z.looseObject({ id: z.string(), title: z.string() })
const row = z.looseObject({
  id: z.string(),
  title: z.string(),
  description: z.optional(z.string()),
})
const common = { header: z.optional(z.json()), body: text, footer: z.optional(text) }

/** A customer message's `interactive`: buttons, or a list. */
export const interactivePayload = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('button'),
    ...common,
    action: z.looseObject({
      buttons: z.array(z.looseObject({ type: z.literal('reply'), reply })),
    }),
  }),
  z.looseObject({
    type: z.literal('list'),
    ...common,
    action: z.looseObject({
      button: z.string(),
      sections: z.array(z.looseObject({ title: z.optional(z.string()), rows: z.array(row) })),
    }),
  }),
])
export type InteractivePayload = z.infer<typeof interactivePayload>
