import type * as z from 'zod/mini'
import type { sendMessage } from '../../../schema/api/send-message.ts'
import { unreachable } from '../../../schema/helpers/unreachable.ts'
import type { Channel } from '../../whatsapp/channel.ts'
import type { ChannelSent } from '../../whatsapp/sending/channel-calls.ts'
import { RequestRefused } from '../core/request-refused.ts'

type Asked = z.output<typeof sendMessage> & { ownerId: string }

/**
 * Sends a `POST /messages` body over the business channel.
 * @throws RequestRefused as `POST /webhooks/send` does
 */
export async function sendOverChannel(
  channel: Pick<Channel, 'calls'> | undefined,
  asked: Asked,
): Promise<ChannelSent> {
  if (!channel) throw new RequestRefused('whatsapp_not_configured')
  const { ownerId, recipientId, whatsappData, _id: messageId } = asked
  const { type, message } = readKind(asked)
  return await channel.calls.send({
    ownerId,
    type,
    message,
    messageId,
    to: whatsappData?.recipientPhone || recipientId,
    replyToMessageId: asked.replyToMessageId ?? undefined,
  })
}

function readKind({ type, content, mediaUrl, whatsappData }: Asked) {
  const kind = type === undefined || type === 'text' ? findKind(whatsappData) : type
  switch (kind) {
    case 'template': {
      const { template_name: name, template_language: code } = whatsappData ?? {}
      const components = whatsappData?.template_components ?? []
      return { type: kind, message: { name, language: { code: code || 'en' }, components } }
    }
    case 'interactive':
    case 'location':
    case 'contacts':
      return { type: kind, message: whatsappData?.[kind] }
    case 'image':
    case 'video':
    case 'document':
      return { type: kind, message: { link: mediaUrl, caption: content || undefined } }
    case 'audio':
      return { type: kind, message: { link: mediaUrl } }
    case 'text':
      return { type: kind, message: content }
    default:
      return unreachable(kind)
  }
}

function findKind(data: Asked['whatsappData']) {
  if (data?.template_name) return 'template'
  if (data?.interactive) return 'interactive'
  if (data?.location) return 'location'
  return data?.contacts ? 'contacts' : 'text'
}
