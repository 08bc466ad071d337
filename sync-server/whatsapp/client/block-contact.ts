import type { GraphClient } from './graph-client.ts'

/**
 * Makes WhatsApp block a person's messages, or allow them again. WhatsApp only accepts people who
 * wrote in the last 24 hours: our own block does not depend on it.
 * @returns whether WhatsApp accepted
 */
export async function blockContact(
  client: GraphClient,
  block: { phoneNumberId: string; phone: string; isBlocked: boolean },
): Promise<boolean> {
  const answer = await client.call({
    method: block.isBlocked ? 'POST' : 'DELETE',
    path: `${encodeURIComponent(block.phoneNumberId)}/block_users`,
    json: {
      messaging_product: 'whatsapp',
      block_users: [{ user: `+${block.phone.replaceAll(/\D/g, '')}` }],
    },
  })
  return answer.kind === 'ok'
}
