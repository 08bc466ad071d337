import type { QueuedRequest } from '../../database/storage/queued-request.ts'

/** What a queued request does. `name`: the name of the person concerned. */
export function describeRequest(request: QueuedRequest, name: string): string {
  switch (request.kind) {
    case 'profile':
      return 'Change your profile'
    case 'settings':
      return 'Change your settings'
    case 'picture':
      return 'Change your picture'
    case 'block':
      return request.blocked ? `Block ${name}` : `Unblock ${name}`
    case 'report':
      return `Report ${name}`
    case 'forward':
      return 'Forward a message'
  }
}
