import type { RequestHandler } from 'express'

/**
 * The service worker handles shares from other apps. Without one yet they come here: the server
 * reads and stores nothing, and the app tells the person.
 */
export const answerStrayShare: RequestHandler = (request, response) => {
  request.routeName = '/share'
  response.set('cache-control', 'no-store').redirect(303, '/share?problem=not-received')
}
