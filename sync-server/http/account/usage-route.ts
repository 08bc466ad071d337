import { usage } from '../../../schema/api/usage.ts'
import type { MessageRate } from '../../budget/message-rate.ts'
import type { StorageQuota } from '../../budget/storage-quota.ts'
import { defineRoute, type Route } from '../core/route.ts'

/** How much a person has stored, and their quota. */
export function createUsageRoute(options: {
  quota: Pick<StorageQuota, 'quotaBytes' | 'read'>
  rate: Pick<MessageRate, 'perMinute' | 'describe'>
}): Route {
  const { quota, rate } = options
  return defineRoute({
    method: 'get',
    path: '/users/me/usage',
    access: 'signed-in',
    summary:
      'What your messages and files take on the server, what they may take, and how many messages a minute you may send.',
    status: 200,
    answer: usage,
    async handle({ caller: { userId }, response }) {
      const { messages, files } = await quota.read(userId)
      response.set(rate.describe(userId))
      return {
        messageBytes: messages,
        fileBytes: files,
        quotaBytes: quota.quotaBytes || null,
        messagesPerMinute: rate.perMinute || null,
      }
    },
  })
}
