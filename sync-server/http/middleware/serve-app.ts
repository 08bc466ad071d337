import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import express, { type Request, type Response, type Router } from 'express'
import { serveCompressed } from './serve-compressed.ts'

const yearSeconds = 365 * 24 * 60 * 60

/**
 * Serves the built app. Files with a hash in their name never change; browsers revalidate
 * everything else each time. Any other address that a browser opens gets the app's page.
 * @param appDir the folder of the build; serves nothing if it is missing
 */
export function serveApp({ appDir }: { appDir: string }): Router {
  const router = express.Router()
  const page = join(appDir, 'index.html')
  if (!appDir || !existsSync(page)) return router
  const squeezed = serveCompressed({ dir: appDir, cache: setCaching })
  router.use(squeezed)
  router.use(
    express.static(appDir, {
      index: false,
      redirect: false,
      cacheControl: false,
      setHeaders: (response, path) => setCaching(response, path.slice(appDir.length)),
    }),
  )
  router.get('/{*path}', async (request, response, next) => {
    if (!isPageRequest(request)) return next()
    request.url = '/index.html'
    await squeezed(request, response, () => {
      setCaching(response, request.path)
      response.sendFile(page)
    })
  })
  return router
}

/** @param path beneath the folder of the build */
function setCaching(response: Response, path: string) {
  const isHashed = /^[\\/]?assets[\\/]/.test(path)
  const value = isHashed ? `public, max-age=${yearSeconds}, immutable` : 'no-cache'
  response.set('cache-control', value)
}

function isPageRequest(request: Request): boolean {
  const isFile = basename(request.path).includes('.')
  const isOfServer = /^\/(api|sync|poll|assets)(\/|$)/.test(request.path)
  return !isFile && !isOfServer && request.accepts('html') === 'html'
}
