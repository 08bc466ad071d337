import type { Channel } from '../../whatsapp/channel.ts'
import { RequestRefused } from '../core/request-refused.ts'

/** @throws RequestRefused `whatsapp_not_configured` */
export function requireChannel(channel: Channel | undefined): Channel {
  if (!channel) throw new RequestRefused('whatsapp_not_configured')
  return channel
}
