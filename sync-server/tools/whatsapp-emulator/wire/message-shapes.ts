import * as z from 'zod/mini'

// What Meta accepts in a send, defined independently of the client's limits.
const text = (max: number, min = 1) => z.string().check(z.minLength(min), z.maxLength(max))
const mediaOf = (more: Record<string, z.ZodMiniType> = {}) =>
  z
    .strictObject({
      id: z.optional(text(200)),
      link: z.optional(z.url({ protocol: /^https?$/ })),
      ...more,
    })
    .check(
      z.refine((media) => (media.id === undefined) !== (media.link === undefined), {
        error: 'Exactly one of id and link is required',
      }),
    )
const caption = z.optional(text(1024, 0))
const plainMedia = mediaOf()
const coordinate = (limit: number) =>
  z
    .union([z.number(), z.string().check(z.regex(/^-?\d+(\.\d+)?$/))])
    .check(z.refine((value) => Math.abs(Number(value)) <= limit, { error: 'Out of range' }))

const contact = z.strictObject({
  name: z.strictObject({
    formatted_name: text(1024),
    first_name: z.optional(z.string()),
    last_name: z.optional(z.string()),
    middle_name: z.optional(z.string()),
    suffix: z.optional(z.string()),
    prefix: z.optional(z.string()),
  }),
  phones: z.optional(
    z.array(
      z.strictObject({
        phone: z.optional(z.string()),
        type: z.optional(z.string()),
        wa_id: z.optional(z.string()),
      }),
    ),
  ),
  emails: z.optional(
    z.array(z.strictObject({ email: z.optional(z.string()), type: z.optional(z.string()) })),
  ),
  addresses: z.optional(z.array(z.record(z.string(), z.string()))),
  org: z.optional(z.record(z.string(), z.string())),
  urls: z.optional(
    z.array(z.strictObject({ url: z.optional(z.string()), type: z.optional(z.string()) })),
  ),
  birthday: z.optional(z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))),
})

const areUnique = (values: string[]) => new Set(values).size === values.length
const headerText = z.strictObject({ type: z.literal('text'), text: text(60) })
const buttonHeader = z.discriminatedUnion('type', [
  headerText,
  z.strictObject({ type: z.literal('image'), image: plainMedia }),
  z.strictObject({ type: z.literal('video'), video: plainMedia }),
  z.strictObject({
    type: z.literal('document'),
    document: mediaOf({ filename: z.optional(z.string()) }),
  }),
])
const footer = z.optional(z.strictObject({ text: text(60) }))

const button = z.strictObject({
  type: z.literal('reply'),
  reply: z.strictObject({
    id: text(256).check(z.refine((id) => id === id.trim(), { error: 'Blanks around the id' })),
    title: text(20),
  }),
})

const buttonMessage = z.strictObject({
  type: z.literal('button'),
  header: z.optional(buttonHeader),
  body: z.strictObject({ text: text(1024) }),
  footer,
  action: z.strictObject({
    buttons: z.array(button).check(
      z.refine((all) => all.length >= 1 && all.length <= 3, {
        error: 'Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3',
      }),
      z.refine((all) => areUnique(all.map(({ reply }) => reply.title)), {
        error: 'Duplicate button titles',
      }),
      z.refine((all) => areUnique(all.map(({ reply }) => reply.id)), {
        error: 'Duplicate button ids',
      }),
    ),
  }),
})

const row = z.strictObject({
  id: text(200),
  title: text(24),
  description: z.optional(text(72, 0)),
})
const section = z.strictObject({
  title: z.optional(text(24)),
  rows: z.array(row).check(z.minLength(1)),
})

const listMessage = z.strictObject({
  type: z.literal('list'),
  header: z.optional(headerText),
  body: z.strictObject({ text: text(4096) }),
  footer,
  action: z.strictObject({
    button: text(20),
    sections: z.array(section).check(
      z.minLength(1),
      z.maxLength(10),
      z.refine((all) => all.flatMap(({ rows }) => rows).length <= 10, {
        error: 'Total row count exceed max allowed count: 10',
      }),
      z.refine((all) => areUnique(all.flatMap(({ rows }) => rows.map(({ id }) => id))), {
        error: 'Duplicate row ids',
      }),
      z.refine((all) => all.length === 1 || all.every(({ title }) => title !== undefined), {
        error: 'Section title is required when there is more than one section',
      }),
    ),
  }),
})

const parameter = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('text'),
    text: text(32_768),
    parameter_name: z.optional(z.string().check(z.regex(/^[a-z_]+$/))),
  }),
  z.strictObject({
    type: z.literal('currency'),
    currency: z.strictObject({
      fallback_value: z.string(),
      code: z.string(),
      amount_1000: z.number(),
    }),
    parameter_name: z.optional(z.string()),
  }),
  z.strictObject({
    type: z.literal('date_time'),
    date_time: z.strictObject({ fallback_value: z.string() }),
    parameter_name: z.optional(z.string()),
  }),
  z.strictObject({ type: z.literal('image'), image: plainMedia }),
  z.strictObject({ type: z.literal('video'), video: plainMedia }),
  z.strictObject({
    type: z.literal('document'),
    document: mediaOf({ filename: z.optional(z.string()) }),
  }),
  z.strictObject({
    type: z.literal('location'),
    location: z.strictObject({
      latitude: coordinate(90),
      longitude: coordinate(180),
      name: z.optional(z.string()),
      address: z.optional(z.string()),
    }),
  }),
  z.strictObject({ type: z.literal('payload'), payload: z.string() }),
])

const component = z.strictObject({
  type: z.enum(['header', 'body', 'button']),
  sub_type: z.optional(z.enum(['quick_reply', 'url', 'copy_code', 'flow'])),
  index: z.optional(z.union([z.string(), z.number()])),
  parameters: z.optional(z.array(parameter)),
})

/** The object under each message type's name. */
export const typeShapes = {
  text: z.strictObject({ body: text(4096), preview_url: z.optional(z.boolean()) }),
  image: mediaOf({ caption }),
  video: mediaOf({ caption }),
  audio: mediaOf({ voice: z.optional(z.boolean()) }),
  document: mediaOf({ caption, filename: z.optional(z.string()) }),
  sticker: plainMedia,
  location: z.strictObject({
    latitude: coordinate(90),
    longitude: coordinate(180),
    name: z.optional(z.string()),
    address: z.optional(z.string()),
  }),
  contacts: z.array(contact).check(z.minLength(1), z.maxLength(257)),
  reaction: z.strictObject({ message_id: text(300), emoji: z.string().check(z.maxLength(40)) }),
  interactive: z.discriminatedUnion('type', [buttonMessage, listMessage]),
  template: z.strictObject({
    name: text(512).check(z.regex(/^[a-z0-9_]+$/)),
    language: z.strictObject({
      code: z.string().check(z.minLength(2), z.maxLength(10)),
      policy: z.optional(z.literal('deterministic')),
    }),
    components: z.optional(z.array(component)),
  }),
} as const
export type MessageTypeName = keyof typeof typeShapes
export type TemplateSend = z.infer<typeof typeShapes.template>

/** The envelope. */
export const envelopeShape = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  recipient_type: z.optional(z.enum(['individual', 'group'])),
  to: z.optional(z.string()),
  recipient: z.optional(z.string()),
  type: z.optional(z.string()),
  context: z.optional(z.strictObject({ message_id: z.string() })),
  biz_opaque_callback_data: z.optional(z.string().check(z.maxLength(512))),
})
