import { pushEnded, pushKept, pushKey, pushSubscription } from '../../../schema/api/push.ts'
import { isPushKey } from '../../push/push-keys.ts'
import type { Push } from '../../push/web-push.ts'
import { RequestRefused } from '../core/request-refused.ts'
import { defineRoute, type Route } from '../core/route.ts'

/** Where this sign-in's device is pushed to. */
export function createPushRoutes({
  push,
}: {
  push: Pick<Push, 'publicKey' | 'subscriptions' | 'accepts'>
}): Route[] {
  const { publicKey, subscriptions } = push
  return [
    defineRoute({
      method: 'get',
      path: '/users/me/push',
      access: 'signed-in',
      summary: 'The key with which a browser asks its push service for an address.',
      status: 200,
      answer: pushKey,
      handle: async () => ({ publicKey }),
    }),

    defineRoute({
      method: 'put',
      path: '/users/me/push',
      access: 'signed-in',
      summary: 'Pushes new messages to this device until its sign-in ends.',
      body: pushSubscription,
      status: 200,
      answer: pushKept,
      errors: ['push_endpoint_refused'],
      async handle({ caller, body }) {
        if (!push.accepts(body.endpoint)) throw new RequestRefused('push_endpoint_refused')
        if (!isPushKey(body.keys.p256dh)) {
          throw new RequestRefused('invalid_input', { details: 'keys.p256dh is not valid' })
        }
        await subscriptions.put(caller, body)
        return { isKept: true as const }
      },
    }),

    defineRoute({
      method: 'delete',
      path: '/users/me/push',
      access: 'signed-in',
      summary: 'Pushes nothing more to this device.',
      status: 200,
      answer: pushEnded,
      async handle({ caller }) {
        await subscriptions.remove(caller)
        return { isEnded: true as const }
      },
    }),
  ]
}
