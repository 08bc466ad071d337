import { unreachable } from '../../../schema/helpers/unreachable.ts'
import type { RequestEntry } from '../../database/storage/queued-request.ts'
import type { RequestCalls } from './request-calls.ts'

/**
 * Makes an entry's call, with the entry's id as the idempotency key (P2).
 * @throws what the call throws
 */
export async function sendRequest(
  entry: RequestEntry,
  options: { calls: RequestCalls; signal: AbortSignal },
): Promise<void> {
  const { calls, signal } = options
  const { _id: key, request } = entry
  const repeatable = { key, signal }
  switch (request.kind) {
    case 'profile':
      return void (await calls.own.updateProfile(request.change, repeatable))
    case 'settings':
      return void (await calls.own.updateSettings(request.settings, repeatable))
    case 'picture':
      return void (await calls.own.updatePicture(request.picture, repeatable))
    case 'block':
      return void (await calls.users.setBlocked(request, repeatable))
    case 'report':
      return void (await calls.users.report(request, repeatable))
    case 'forward':
      return void (await calls.messages.forward(request, repeatable))
    default:
      return unreachable(request)
  }
}
