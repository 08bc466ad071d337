import * as z from 'zod/mini'
import { sealedPart } from '../encryption/sealed-part.ts'
import { id } from '../id.ts'
import { limits } from '../limits.ts'
import { messageTypes } from '../message.ts'

/**
 * When present, the message goes over WhatsApp. The template's values are WhatsApp's `components`.
 */
const whatsappData = z.looseObject({
  recipientPhone: z.nullish(z.string().check(z.maxLength(100))),
  template_name: z.nullish(z.string()),
  template_language: z.nullish(z.string()),
  template_components: z.nullish(z.array(z.unknown())),
  interactive: z.nullish(z.unknown()),
  location: z.nullish(z.unknown()),
  contacts: z.nullish(z.unknown()),
})

const missing = 'Missing required message data'

/**
 * What POST /messages takes. `_id` (or the header `Idempotency-Key`) makes a repeated call the same
 * message (P2). The rule judges the text itself (P4), as on every other path.
 */
export const sendMessage = z
  .object(
    {
      _id: z.optional(id),
      recipientId: z.string(missing).check(z.minLength(1, missing)),
      content: z._default(z.string(missing), ''),
      /** In place of `content`: the words, for the two people alone. */
      sealed: z.optional(sealedPart),
      type: z.optional(z.enum(messageTypes, 'This is not a type of message.')),
      replyToMessageId: z.optional(z.nullable(id)),
      /**
       * In a group: members that the text names as `@username`. They are notified though they muted
       * it. With `sealed`, which has the names, the server knows them by this alone.
       */
      mentions: z.optional(
        z
          .array(id, 'mentions must be a list of ids')
          .check(
            z.maxLength(
              limits.mentionsMax,
              `A message mentions at most ${limits.mentionsMax} people`,
            ),
          ),
      ),
      mediaUrl: z.optional(z.nullable(z.string('mediaUrl must be an address'))),
      whatsappData: z.optional(z.nullable(whatsappData)),
    },
    missing,
  )
  .check(
    z.refine(
      ({ content, sealed, mediaUrl, whatsappData: data }) =>
        content !== '' ||
        sealed !== undefined ||
        Boolean(mediaUrl) ||
        Boolean(data?.template_name || data?.interactive || data?.location || data?.contacts),
      { error: missing },
    ),
  )
