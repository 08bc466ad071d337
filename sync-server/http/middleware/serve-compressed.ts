import { readdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { RequestHandler, Response } from 'express'
import { createCompressor } from './compressor.ts'

const compressible = new Set(['.js', '.css', '.html', '.json', '.svg', '.webmanifest'])

/**
 * Answers requests for text files of a folder compressed, where the browser accepts it. Serves only
 * files found at the start: no address can reach outside of the folder.
 * @param cache sets the caching headers
 */
export function serveCompressed(options: {
  dir: string
  cache: (response: Response, urlPath: string) => void
}): RequestHandler {
  const { dir, cache } = options
  const compress = createCompressor()
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  const files = new Map(
    names
      .filter((name) => compressible.has(extname(name)))
      .map((name) => [`/${name.replaceAll('\\', '/')}`, join(dir, name)]),
  )

  return async (request, response, next) => {
    const path = files.get(request.path)
    if (!path || (request.method !== 'GET' && request.method !== 'HEAD')) return next()
    response.vary('accept-encoding')
    // Browsers list gzip first, without preferring it.
    const encoding = request.acceptsEncodings('br') || request.acceptsEncodings('gzip')
    const found = await stat(path).catch(() => undefined)
    if (!found || (encoding !== 'br' && encoding !== 'gzip')) return next()
    const version = `${found.size.toString(36)}-${Math.floor(found.mtimeMs).toString(36)}`
    cache(response, request.path)
    response.type(extname(path)).set({
      etag: `W/"${version}-${encoding}"`,
      'content-encoding': encoding,
    })
    if (request.fresh) response.status(304).end()
    else response.end(await compress({ path, version, encoding }))
  }
}
