import type { GraphClient } from './graph-client.ts'

/**
 * Marks a person's message, and all before it, as read; `isTyping` also shows a typing indicator.
 * Best effort: nothing of ours depends on it.
 * @returns whether WhatsApp accepted
 */
export async function markAsRead(
  client: GraphClient,
  mark: { phoneNumberId: string; wamid: string; isTyping?: boolean },
): Promise<boolean> {
  const { phoneNumberId, wamid, isTyping = false } = mark
  const answer = await client.call({
    method: 'POST',
    path: `${encodeURIComponent(phoneNumberId)}/messages`,
    json: {
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: wamid,
      ...(isTyping && { typing_indicator: { type: 'text' } }),
    },
  })
  return answer.kind === 'ok'
}
