import type { QueuedRequest } from '../../database/requests/queued-request.ts'

/** What a refused request has left undone, in a person's words. `name`: of the person whom it is about. */
export function describeRefused(request: QueuedRequest, name: string): string {
  switch (request.kind) {
    case 'profile':
      return 'Your profile was not changed.'
    case 'settings':
      return 'Your settings were not changed.'
    case 'picture':
      return 'Your picture was not changed.'
    case 'upload':
      return `“${request.filename}” was not sent to ${name}.`
    case 'block':
      return request.blocked ? `${name} was not blocked.` : `${name} was not unblocked.`
    case 'report':
      return `Your report about ${name} was not taken.`
    case 'forward':
      return 'A message was not forwarded.'
  }
}

/** Whom a request is about, if about one person. */
export function findConcerned(request: QueuedRequest): string | undefined {
  switch (request.kind) {
    case 'upload':
      return request.message.peerId
    case 'block':
    case 'report':
      return request.userId
    default:
      return undefined
  }
}
