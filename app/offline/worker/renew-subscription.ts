import { pushWords } from '../../../schema/api/push.ts'
import { wireHeader, wireVersion } from '../../../schema/api/wire.ts'
import { readSignedIn } from './read-signed-in.ts'
import type { WorkerScope } from './worker-scope.ts'

/** The browser has replaced its address for pushes: the server gets the new one. */
export async function renewSubscription(
  scope: WorkerScope,
  old: PushSubscription | null | undefined,
): Promise<void> {
  const signIn = await readSignedIn()
  const key = old?.options.applicationServerKey
  if (!signIn || !key) return
  const subscription = await scope.registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: key,
  })
  await fetch(`${scope.location.origin}/api/users/me/push`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${signIn.token}`,
      'content-type': 'application/json',
      [wireHeader]: String(wireVersion),
    },
    body: JSON.stringify({ ...subscription.toJSON(), understands: pushWords }),
  })
}
