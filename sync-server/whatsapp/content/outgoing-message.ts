import * as z from 'zod/mini'
import { whatsAppLimits as limits } from '../../../schema/whatsapp-limits.ts'

/** A text within its limits, with error words that name it. */
function words(name: string, max: number, min = 1) {
  const error = `${name} must have ${min} to ${max} characters`
  return z.string(error).check(z.minLength(min, error), z.maxLength(max, error))
}

const upTo = (name: string, max: number) => {
  const error = `${name} must have at most ${max} characters`
  return z.string(error).check(z.maxLength(max, error))
}

const wamid = z.string('A message id is missing').check(z.minLength(1, 'A message id is missing'))
const link = z.string().check(
  z.refine((text) => URL.canParse(text) && new URL(text).protocol === 'https:', {
    error: 'A link to a file must begin with https://',
  }),
)

const needsOneSource = 'A file needs either an id or a link'
const source = { id: z.optional(words('A file id', 200)), link: z.optional(link) }
const hasOneSource = z.refine<{ id?: string | undefined; link?: string | undefined }>(
  ({ id, link: at }) => (id === undefined) !== (at === undefined),
  { error: needsOneSource },
)
const caption = z.optional(upTo('A caption', limits.captionMax))
const filename = z.optional(words('A file name', limits.filenameMax))

const file = z.object(source, needsOneSource).check(hasOneSource)
const captioned = z.object({ ...source, caption }, needsOneSource).check(hasOneSource)
const recording = z
  .object({ ...source, voice: z.optional(z.boolean()) }, needsOneSource)
  .check(hasOneSource)
const paper = z.object({ ...source, caption, filename }, needsOneSource).check(hasOneSource)
const headerPaper = z.object({ ...source, filename }, needsOneSource).check(hasOneSource)

/** Sent as text; accepts a number too. */
const degrees = (name: string, max: number) => {
  const error = `${name} must be a number from -${max} to ${max}`
  return z.pipe(
    z
      .union([z.number(), z.string().check(z.regex(/^-?\d{1,3}(\.\d+)?$/, error))], { error })
      .check(z.refine((value) => Math.abs(Number(value)) <= max, { error })),
    z.transform(String),
  )
}

const place = z.object(
  {
    latitude: degrees('The latitude', 90),
    longitude: degrees('The longitude', 180),
    name: z.optional(upTo('The name of a place', 1_000)),
    address: z.optional(upTo('The address of a place', 1_000)),
  },
  'A location needs a latitude and a longitude',
)

const plain = (name: string) => z.optional(upTo(name, 1_000))
const contact = z.object({
  name: z.object(
    {
      formatted_name: words('The name of a contact', 1_000),
      first_name: plain('A first name'),
      last_name: plain('A last name'),
      middle_name: plain('A middle name'),
      prefix: plain('A title'),
      suffix: plain('A suffix'),
    },
    'A contact needs a name',
  ),
  phones: z.optional(
    z.array(
      z.object({ phone: plain('A phone number'), type: plain('A type'), wa_id: plain('An id') }),
    ),
  ),
  emails: z.optional(z.array(z.object({ email: plain('An email'), type: plain('A type') }))),
  addresses: z.optional(
    z.array(
      z.object({
        street: plain('A street'),
        city: plain('A city'),
        state: plain('A state'),
        zip: plain('A postal code'),
        country: plain('A country'),
        country_code: plain('A country code'),
        type: plain('A type'),
      }),
    ),
  ),
  org: z.optional(
    z.object({
      company: plain('A company'),
      department: plain('A department'),
      title: plain('A title'),
    }),
  ),
  urls: z.optional(z.array(z.object({ url: plain('A link'), type: plain('A type') }))),
  birthday: z.optional(
    z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, 'A birthday must be written as 1990-12-31')),
  ),
})

const manyContacts = `A message has 1 to ${limits.contactsMax} contacts`
const contacts = z
  .array(contact, manyContacts)
  .check(z.minLength(1, manyContacts), z.maxLength(limits.contactsMax, manyContacts))

const areUnique = (values: string[]) => new Set(values).size === values.length
const footer = z.optional(z.object({ text: words('The footer', limits.footerMax) }))
const body = z.object(
  { text: words('The text', limits.interactiveBodyMax) },
  'An interactive message needs a text',
)
const textHeader = z.object({
  type: z.literal('text'),
  text: words('The header', limits.headerMax),
})
const anyHeader = z.discriminatedUnion(
  'type',
  [
    textHeader,
    z.object({ type: z.literal('image'), image: file }),
    z.object({ type: z.literal('video'), video: file }),
    z.object({ type: z.literal('document'), document: headerPaper }),
  ],
  { error: 'The header must be a text, an image, a video or a document' },
)

const replyButton = z.object({
  type: z.literal('reply'),
  reply: z.object({
    id: words('The id of a button', limits.buttonIdMax).check(
      z.refine((id) => id === id.trim(), {
        error: 'The id of a button must not begin or end with blanks',
      }),
    ),
    title: words('The title of a button', limits.buttonTitleMax),
  }),
})
const manyButtons = `A message has 1 to ${limits.buttonsMax} buttons`

const buttonMessage = z.object({
  type: z.literal('button'),
  header: z.optional(anyHeader),
  body,
  footer,
  action: z.object(
    {
      buttons: z.array(replyButton, manyButtons).check(
        z.minLength(1, manyButtons),
        z.maxLength(limits.buttonsMax, manyButtons),
        z.refine((all) => areUnique(all.map(({ reply }) => reply.title)), {
          error: 'Two buttons must not have the same title',
        }),
        z.refine((all) => areUnique(all.map(({ reply }) => reply.id)), {
          error: 'Two buttons must not have the same id',
        }),
      ),
    },
    manyButtons,
  ),
})

const row = z.object({
  id: words('The id of a row', limits.rowIdMax),
  title: words('The title of a row', limits.rowTitleMax),
  description: z.optional(upTo('The description of a row', limits.rowDescriptionMax)),
})
const manySections = `A list has 1 to ${limits.sectionsMax} sections`
const manyRows = `A list has 1 to ${limits.rowsMax} rows, over all its sections`

const listMessage = z.object({
  type: z.literal('list'),
  header: z.optional(
    z.discriminatedUnion('type', [textHeader], { error: 'The header of a list must be a text' }),
  ),
  body,
  footer,
  action: z.object(
    {
      button: words('The button of a list', limits.listButtonMax),
      sections: z
        .array(
          z.object({
            title: z.optional(words('The title of a section', limits.sectionTitleMax)),
            rows: z.array(row, manyRows).check(z.minLength(1, 'A section needs a row')),
          }),
          manySections,
        )
        .check(
          z.minLength(1, manySections),
          z.maxLength(limits.sectionsMax, manySections),
          z.refine((all) => all.flatMap(({ rows }) => rows).length <= limits.rowsMax, {
            error: manyRows,
          }),
          z.refine((all) => areUnique(all.flatMap(({ rows }) => rows.map(({ id }) => id))), {
            error: 'Two rows must not have the same id',
          }),
          z.refine((all) => all.length === 1 || all.every(({ title }) => title !== undefined), {
            error: 'Each of several sections needs a title',
          }),
        ),
    },
    manySections,
  ),
})

const parameterName = z.optional(
  z.string().check(z.regex(/^[a-z_]+$/, 'The name of a value has small letters and _ only')),
)
const parameter = z.discriminatedUnion(
  'type',
  [
    z.object({
      type: z.literal('text'),
      text: words('A value of a template', limits.templateParameterMax).check(
        z.refine((text) => !/[\n\t]| {5}/.test(text), {
          error: 'A value of a template must be one line, without tabs or many blanks in a row',
        }),
      ),
      parameter_name: parameterName,
    }),
    z.object({
      type: z.literal('currency'),
      currency: z.object({
        fallback_value: words('An amount', 100),
        code: words('A currency', 3, 3),
        amount_1000: z.number('An amount must be a number').check(z.int()),
      }),
      parameter_name: parameterName,
    }),
    z.object({
      type: z.literal('date_time'),
      date_time: z.object({ fallback_value: words('A date', 200) }),
      parameter_name: parameterName,
    }),
    z.object({ type: z.literal('image'), image: file }),
    z.object({ type: z.literal('video'), video: file }),
    z.object({ type: z.literal('document'), document: headerPaper }),
    z.object({ type: z.literal('location'), location: place }),
    z.object({ type: z.literal('payload'), payload: words('The payload of a button', 256) }),
  ],
  { error: 'A value of a template is of a kind that WhatsApp does not know' },
)

const template = z.object(
  {
    name: words('The name of a template', limits.templateNameMax).check(
      z.regex(/^[a-z0-9_]+$/, 'The name of a template has small letters, digits and _ only'),
    ),
    language: z.object(
      {
        code: z
          .string('A template needs a language')
          .check(z.regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'A language is written as en or en_US')),
        policy: z.optional(z.literal('deterministic')),
      },
      'A template needs a language',
    ),
    components: z.optional(
      z.array(
        z.object({
          type: z.enum(['header', 'body', 'button'], {
            error: 'A template has values in its header, body and buttons only',
          }),
          sub_type: z.optional(z.enum(['quick_reply', 'url'])),
          index: z.optional(
            z.pipe(
              z.union([z.string(), z.number()]),
              z.transform((index) => String(index)),
            ),
          ),
          parameters: z.optional(z.array(parameter)),
        }),
      ),
    ),
  },
  'A template needs a name and a language',
)

const emojiMax = 40

/** Everything that can be sent, by type: the object under the type's name. */
export const messageContents = {
  text: z.object(
    { body: words('The text', limits.textMax), preview_url: z.optional(z.boolean()) },
    'A text message needs a text',
  ),
  image: captioned,
  video: captioned,
  audio: recording,
  document: paper,
  sticker: file,
  location: place,
  contacts,
  reaction: z.object(
    { message_id: wamid, emoji: upTo('An emoji', emojiMax) },
    'A reaction needs the message that it is for',
  ),
  interactive: z.discriminatedUnion('type', [buttonMessage, listMessage], {
    error: 'An interactive message is one with buttons or with a list',
  }),
  template,
} as const

export type OutgoingType = keyof typeof messageContents
export type OutgoingMessage = {
  [Type in OutgoingType]: { type: Type; content: z.output<(typeof messageContents)[Type]> }
}[OutgoingType]
export type TemplateContent = z.output<typeof template>
