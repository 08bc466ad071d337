import type { QueuedRequest } from '../../database/storage/queued-request.ts'

/** Describes what a refused request did not do. `name`: the name of the person concerned. */
export function describeRefused(request: QueuedRequest, name: string): string {
  switch (request.kind) {
    case 'profile':
      return "Your profile wasn't changed."
    case 'settings':
      return "Your settings weren't changed."
    case 'picture':
      return "Your picture wasn't changed."
    case 'block':
      return request.blocked ? `${name} wasn't blocked.` : `${name} wasn't unblocked.`
    case 'report':
      return "Your report wasn't sent."
    case 'forward':
      return "A message wasn't forwarded."
  }
}

/** The person concerned, if a request concerns one. */
export function findConcerned(request: QueuedRequest): string | undefined {
  switch (request.kind) {
    case 'block':
    case 'report':
      return request.userId
    default:
      return undefined
  }
}
