import * as z from 'zod/mini'
import { handleClick } from './handle-click.ts'
import { readSignedIn } from './read-signed-in.ts'
import { renewSubscription } from './renew-subscription.ts'
import { sendCommands, syncTag } from './send-commands.ts'
import { addStaticRoutes } from './static-routes.ts'
import { takePush } from './take-push.ts'
import type { WorkerScope } from './worker-scope.ts'

/** Part of the service worker: pushes and notifications. The build makes one classic script of it. */
const scope = globalThis as unknown as WorkerScope

// The policy of the page forbids generated code, here too.
z.config({ jitless: true })

scope.addEventListener('install', (event) => addStaticRoutes(scope, event))

scope.addEventListener('push', (event) => {
  event.waitUntil(takePush(scope, readJson(event.data)))
  // The network is there. Chromium's Background Sync refuses a worker that has no page open.
  event.waitUntil(sendWaiting())
})

scope.addEventListener('notificationclick', (event) => {
  event.waitUntil(handleClick(scope, event))
})

scope.addEventListener('sync', (event) => {
  if (event.tag === syncTag) event.waitUntil(sendOrFail())
})

scope.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renewSubscription(scope, event.oldSubscription))
})

async function sendWaiting(): Promise<'done' | 'later'> {
  const signIn = await readSignedIn()
  return signIn ? await sendCommands(scope, signIn) : 'done'
}

/**
 * A failure makes the browser wait before it wakes the worker again, longer each time. Registering
 * the tag again during its event makes Chromium wake the worker at once, without end.
 */
async function sendOrFail() {
  if ((await sendWaiting()) === 'later') throw new Error('The server was not reached.')
}

function readJson(data: { json(): unknown } | null): unknown {
  try {
    return data?.json()
  } catch {
    return undefined
  }
}
