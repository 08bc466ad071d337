import { callPaths } from '../server-paths.ts'
import type { InstallEvent, WorkerScope } from './worker-scope.ts'

/**
 * Requests that need no worker go past it, in browsers that can do this: calls to the network, and the app's parts to the
 * cache that Workbox fills. A part that is missing there comes from the network, as from Workbox.
 */
export function addStaticRoutes(
  { registration }: Pick<WorkerScope, 'registration'>,
  event: InstallEvent,
) {
  const calls = callPaths.flatMap((path) => [`/${path}`, `/${path}/*`])
  const toNetwork = calls.map((pathname) => ({
    condition: { urlPattern: { pathname } },
    source: 'network' as const,
  }))
  const toCache = {
    condition: { urlPattern: { pathname: '/assets/*' }, requestMethod: 'get' },
    source: { cacheName: `workbox-precache-v2-${registration.scope}` },
  }
  // A browser that refuses the routes asks the worker.
  event.addRoutes?.([...toNetwork, toCache]).catch(() => {})
}
