import type { ErrorCode } from '../../../schema/api/api-error.ts'
import type { Route } from './route.ts'

/** Every refusal that a call can return: its own, and those of every call of its kind. */
export function listErrors(route: Route): ErrorCode[] {
  const takesSomething = route.body ?? route.params ?? route.query ?? route.headers
  return [
    ...(takesSomething ? (['invalid_input'] as const) : []),
    ...(route.body
      ? ([
          ...(['not_json', 'nested_too_deeply', 'too_large', 'json_required'] as const),
          'request_timed_out',
        ] as const)
      : []),
    ...(route.access === 'signed-in'
      ? (['authentication_required', 'session_ended'] as const)
      : []),
    ...(route.errors ?? []),
    ...([
      'app_outdated',
      'server_outdated',
      'too_many_at_once',
      'internal_error',
      'busy',
      'storage_unavailable',
    ] as const),
  ]
}
