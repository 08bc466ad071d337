import * as z from 'zod/mini'

// Meta's payloads as documented. The client uses its own, more tolerant schemas.
const digits = z.string().check(z.regex(/^\d+$/))
const wamid = z.string().check(z.regex(/^wamid\.[\w+/=-]+$/))
const bsuid = z.string().check(z.regex(/^[A-Z]{2}\.[\w.]+$/))
const seconds = digits

const sendAnswer = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  contacts: z.array(
    z.union([
      z.strictObject({ input: z.string(), wa_id: digits }),
      z.strictObject({ input: bsuid, user_id: bsuid }),
    ]),
  ),
  messages: z.array(
    z.strictObject({
      id: wamid,
      message_status: z.optional(z.enum(['accepted', 'held_for_quality_assessment', 'paused'])),
    }),
  ),
})

const errorAnswer = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    type: z.enum(['OAuthException', 'GraphMethodException']),
    code: z.number(),
    error_data: z.optional(
      z.union([
        z.string(),
        z.strictObject({ messaging_product: z.literal('whatsapp'), details: z.string() }),
      ]),
    ),
    error_subcode: z.optional(z.number()),
    is_transient: z.optional(z.boolean()),
    error_user_title: z.optional(z.string()),
    error_user_msg: z.optional(z.string()),
    fbtrace_id: z.string().check(z.regex(/^A/)),
  }),
})

const mediaAnswer = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  url: z.url(),
  mime_type: z.string(),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  file_size: z.union([z.number(), digits]),
  id: digits,
})

const cursors = z.strictObject({ before: z.string(), after: z.string() })
const templateList = z.strictObject({
  data: z.array(
    z.strictObject({
      name: z.string(),
      language: z.string(),
      status: z.string(),
      category: z.string(),
      id: digits,
      parameter_format: z.optional(z.enum(['POSITIONAL', 'NAMED'])),
      components: z.array(
        z.strictObject({
          type: z.enum(['HEADER', 'BODY', 'FOOTER', 'BUTTONS']),
          format: z.optional(z.string()),
          text: z.optional(z.string()),
          example: z.optional(z.record(z.string(), z.unknown())),
          buttons: z.optional(z.array(z.looseObject({ type: z.string(), text: z.string() }))),
        }),
      ),
    }),
  ),
  paging: z.strictObject({ cursors, next: z.optional(z.url()) }),
})

const numberAnswer = z.strictObject({
  id: digits,
  display_phone_number: z.string(),
  verified_name: z.string(),
  quality_rating: z.enum(['GREEN', 'YELLOW', 'RED', 'NA']),
  code_verification_status: z.string(),
  name_status: z.optional(z.string()),
  status: z.string(),
  platform_type: z.string(),
  throughput: z.strictObject({ level: z.string() }),
})

const success = z.strictObject({ success: z.literal(true) })
const idAnswer = z.strictObject({ id: digits })

const wireError = z.strictObject({
  code: z.number(),
  title: z.string(),
  message: z.optional(z.string()),
  error_data: z.optional(z.strictObject({ details: z.string() })),
  href: z.optional(z.string()),
})

const metadata = z.strictObject({ display_phone_number: digits, phone_number_id: digits })
const contact = z.strictObject({
  profile: z.strictObject({ name: z.string(), username: z.optional(z.string()) }),
  wa_id: z.optional(digits),
  user_id: z.optional(bsuid),
})

const common = {
  id: wamid,
  timestamp: seconds,
  from: z.optional(digits),
  from_user_id: z.optional(bsuid),
  context: z.optional(
    z.strictObject({
      from: z.optional(digits),
      id: z.optional(wamid),
      forwarded: z.optional(z.boolean()),
    }),
  ),
  referral: z.optional(z.record(z.string(), z.unknown())),
}
const base64Sum = z.string().check(z.regex(/^[\w+/]{43}=$/))
const file = { id: digits, mime_type: z.string(), sha256: base64Sum, url: z.optional(z.url()) }
const caption = z.optional(z.string())
const textObject = z.strictObject({ body: z.string() })

function messageOf<Type extends string>(type: Type, content: z.ZodMiniType) {
  return z.strictObject({ ...common, type: z.literal(type), [type]: content })
}

const message = z.union([
  messageOf('text', textObject),
  messageOf('image', z.strictObject({ ...file, caption })),
  messageOf('video', z.strictObject({ ...file, caption })),
  messageOf('audio', z.strictObject({ ...file, voice: z.boolean() })),
  messageOf('document', z.strictObject({ ...file, caption, filename: z.string() })),
  messageOf('sticker', z.strictObject({ ...file, animated: z.boolean() })),
  messageOf(
    'location',
    z.strictObject({
      latitude: z.number(),
      longitude: z.number(),
      name: z.optional(z.string()),
      address: z.optional(z.string()),
      url: z.optional(z.string()),
    }),
  ),
  messageOf(
    'contacts',
    z.array(z.looseObject({ name: z.looseObject({ formatted_name: z.string() }) })),
  ),
  messageOf('button', z.strictObject({ payload: z.string(), text: z.string() })),
  messageOf(
    'interactive',
    z.union([
      z.strictObject({
        type: z.literal('button_reply'),
        button_reply: z.strictObject({ id: z.string(), title: z.string() }),
      }),
      z.strictObject({
        type: z.literal('list_reply'),
        list_reply: z.strictObject({
          id: z.string(),
          title: z.string(),
          description: z.optional(z.string()),
        }),
      }),
    ]),
  ),
  messageOf('reaction', z.strictObject({ message_id: wamid, emoji: z.optional(z.string()) })),
  messageOf(
    'order',
    z.strictObject({
      catalog_id: z.string(),
      text: z.optional(z.string()),
      product_items: z.array(
        z.strictObject({
          product_retailer_id: z.string(),
          quantity: z.number(),
          item_price: z.number(),
          currency: z.string(),
        }),
      ),
    }),
  ),
  messageOf(
    'system',
    z.strictObject({
      body: z.string(),
      wa_id: z.optional(digits),
      user_id: z.optional(bsuid),
      type: z.string(),
    }),
  ),
  messageOf(
    'edit',
    z.strictObject({
      original_message_id: wamid,
      message: z.strictObject({ type: z.literal('text'), text: textObject }),
    }),
  ),
  messageOf('revoke', z.strictObject({ original_message_id: wamid })),
  z.strictObject({
    ...common,
    type: z.literal('unsupported'),
    errors: z.array(wireError),
    unsupported: z.optional(z.strictObject({ type: z.string() })),
  }),
])

const status = z.strictObject({
  id: wamid,
  status: z.enum(['sent', 'delivered', 'read', 'played', 'failed']),
  timestamp: seconds,
  recipient_id: z.optional(digits),
  recipient_user_id: z.optional(bsuid),
  biz_opaque_callback_data: z.optional(z.string()),
  conversation: z.optional(
    z.strictObject({
      id: z.string(),
      expiration_timestamp: z.optional(seconds),
      origin: z.strictObject({ type: z.string() }),
    }),
  ),
  pricing: z.optional(
    z.strictObject({
      billable: z.boolean(),
      pricing_model: z.enum(['PMP', 'CBP']),
      type: z.optional(z.enum(['regular', 'free_customer_service', 'free_entry_point'])),
      category: z.string(),
    }),
  ),
  errors: z.optional(z.array(wireError)),
})

const echo = z.looseObject({
  from: digits,
  to: digits,
  to_user_id: z.optional(bsuid),
  id: wamid,
  timestamp: seconds,
  type: z.enum(['text', 'image', 'video', 'document', 'revoke', 'edit']),
})

const change = z.discriminatedUnion('field', [
  z.strictObject({
    field: z.literal('messages'),
    value: z.strictObject({
      messaging_product: z.literal('whatsapp'),
      metadata,
      contacts: z.optional(z.array(contact)),
      messages: z.optional(z.array(message)),
      statuses: z.optional(z.array(status)),
      errors: z.optional(z.array(wireError)),
    }),
  }),
  z.strictObject({
    field: z.literal('smb_message_echoes'),
    value: z.strictObject({
      messaging_product: z.literal('whatsapp'),
      metadata,
      contacts: z.optional(z.array(contact)),
      message_echoes: z.array(echo),
    }),
  }),
  z.strictObject({
    field: z.literal('message_template_status_update'),
    value: z.strictObject({
      event: z.string(),
      message_template_id: z.number(),
      message_template_name: z.string(),
      message_template_language: z.string(),
      reason: z.nullable(z.string()),
      message_template_category: z.optional(z.string()),
      disable_info: z.optional(z.strictObject({ disable_date: z.string() })),
      other_info: z.optional(z.looseObject({ title: z.string() })),
    }),
  }),
])

const webhook = z.strictObject({
  object: z.literal('whatsapp_business_account'),
  entry: z
    .array(
      z.strictObject({
        id: digits,
        time: z.optional(z.number()),
        changes: z.array(change).check(z.minLength(1)),
      }),
    )
    .check(z.minLength(1)),
})

/** Meta's answers and webhooks by name, as fixtures name them. */
export const metaShapes = {
  'send-answer': sendAnswer,
  'error-answer': errorAnswer,
  'media-answer': mediaAnswer,
  'template-list': templateList,
  'number-answer': numberAnswer,
  success,
  'id-answer': idAnswer,
  webhook,
} as const
export type MetaShapeName = keyof typeof metaShapes
