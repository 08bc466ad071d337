import type { RequestHandler } from 'express'

/**
 * What another app shares is taken in by the service worker. Where there is none yet, it comes here: nothing of it is
 * read or kept, and the app says so.
 */
export const answerStrayShare: RequestHandler = (request, response) => {
  request.routeName = '/share'
  response.set('cache-control', 'no-store').redirect(303, '/share?problem=not-received')
}
