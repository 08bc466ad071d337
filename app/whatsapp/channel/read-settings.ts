import type { OwnUser } from '../../../schema/user.ts'
import type { RequestEntry } from '../../database/storage/queued-request.ts'

/** A person's settings including the pending requests. */
export function readSettings(user: OwnUser, entries: readonly RequestEntry[]): OwnUser['settings'] {
  const waiting = entries.findLast(
    ({ request, state }) => request.kind === 'settings' && state === 'waiting',
  )
  return waiting?.request.kind === 'settings' ? waiting.request.settings : user.settings
}
