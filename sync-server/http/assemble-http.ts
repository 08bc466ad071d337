import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express'
import helmet from 'helmet'
import { type ApiErrorCode, apiErrors, type ErrorAnswer } from '../../schema/api/api-error.ts'
import { PersonGone } from '../access/account-documents.ts'
import { HasherBusy } from '../access/password-hasher.ts'
import type { Doorman } from '../budget/doorman.ts'
import { isPastEnd } from '../lib/json-value.ts'
import type { Log } from '../lib/log.ts'
import { measureRequests } from '../metrics/measure-requests.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { isStorageUnavailable } from '../storage/documents/storage-errors.ts'
import { requireServedWire } from './core/access-check.ts'
import { RequestRefused } from './core/request-refused.ts'

const storageRetrySeconds = 5

const packBrotli = promisify(brotliCompress)

const packGzip = promisify(gzip)

const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

const compressible = new Set(['.js', '.css', '.html', '.json', '.svg', '.webmanifest'])

const yearSeconds = 365 * 24 * 60 * 60

/** Codes are scanned and voice messages recorded by our own pages, never by a page in a frame. */
const permissionsPolicy = 'camera=(self), microphone=(self), geolocation=()'

const givenId = /^[\w-]{8,64}$/

/**
 * Adds the server's clock to every answer, in epoch ms, for devices to correct theirs. Reads it
 * when the head is sent: a poll may have waited, and an older time would set clocks back.
 */
const tellTime: RequestHandler = (_request, response, next) => {
  const { writeHead } = response
  response.set('cache-control', 'no-store')
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    response.setHeader('x-petrel-now', String(Date.now()))
    return writeHead.apply(response, head)
  }) as typeof writeHead
  next()
}

/**
 * The service worker handles shares from other apps. Without one yet they come here: the server
 * reads and stores nothing, and the app tells the person.
 */
const answerStrayShare: RequestHandler = (request, response) => {
  request.routeName = '/share'
  response.set('cache-control', 'no-store').redirect(303, '/share?problem=not-received')
}

/** Puts all HTTP handlers in order: identification and logging first, errors last. */
export function assembleHttp(options: {
  app: Express
  log: Log
  metrics: Metrics
  doorman: Pick<Doorman, 'greet' | 'admit'>
  isHttps: boolean
  trustProxy: number
  appDir: string
  /** What is called at the server's root: health, metrics, polls. */
  root: Router
  /** Webhooks: unauthenticated, and with the raw bytes of their body. */
  webhooks: Router
  api: Router
  sync: Router
}) {
  const { app, log, metrics, doorman, isHttps, trustProxy, appDir, root, webhooks, api, sync } =
    options
  app.disable('x-powered-by').set('trust proxy', trustProxy).set('query parser', 'simple')
  app.use(closeStraySocket, logRequests({ log }), measureRequests({ metrics }), doorman.greet)
  app.use('/sync', setDataHeaders({ isHttps }), tellTime, sync)
  app.use(setSecurityHeaders({ isHttps }))
  app.use('/poll', tellTime, requireServedWire)
  app.use(root)
  app.use('/api', webhooks)
  app.use('/api', tellTime, requireServedWire, api)
  app.post('/share', doorman.admit, answerStrayShare)
  app.use(serveApp({ appDir }))
  app.use(() => {
    throw new RequestRefused('not_found')
  })
  app.use(createErrorHandler({ log }))
}

/** express-ws sends upgrades through the app: one that no socket route takes would hang forever. */
const closeStraySocket: RequestHandler = (request, _response, next) => {
  const { ws } = request as typeof request & { ws?: { terminate(): void } }
  if (ws) ws.terminate()
  else next()
}

/**
 * Headers for JSON answers, which display and run nothing. The page's own policy is longer than
 * most of these answers.
 */
function setDataHeaders({ isHttps }: { isHttps: boolean }): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: isHttps && { maxAge: 365 * 24 * 60 * 60 },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    // Concerns only pages and the windows they open.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    referrerPolicy: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  })
}

/**
 * Gives every request an id (keeps a proxy's), and logs its end: caller, route, status, duration.
 */
function logRequests({ log }: { log: Log }): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now()
    const given = request.get('x-request-id') ?? ''
    request.id = givenId.test(given) ? given : randomUUID()
    response.set('x-request-id', request.id)
    response.on('close', () => {
      log.info({
        requestId: request.id,
        method: request.method,
        route: request.routeName ?? 'none',
        status: response.statusCode,
        isAnswered: response.writableFinished,
        userId: request.caller?.userId,
        ms: Math.round(performance.now() - startedAt),
      })
    })
    next()
  }
}

/**
 * Headers that restrict a browser to our own pages: scripts, styles and connections of this origin.
 * @param isHttps forbids browsers to return over plain HTTP
 */
function setSecurityHeaders({ isHttps }: { isHttps: boolean }): RequestHandler {
  const setHelmet = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        // WebAssembly derives passwords; it allows no `eval` of text.
        scriptSrc: ["'self'", "'wasm-unsafe-eval'"],
        styleSrc: ["'self'"],
        fontSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        mediaSrc: ["'self'", 'blob:'],
        // Older browsers do not count a socket of the same origin as 'self'.
        connectSrc: ["'self'", (request) => nameSocketOrigin(request as Request)],
        workerSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        objectSrc: ["'none'"],
      },
    },
    strictTransportSecurity: isHttps && { maxAge: 365 * 24 * 60 * 60 },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  })
  return (request, response, next) => {
    response.set('permissions-policy', permissionsPolicy)
    setHelmet(request, response, next)
  }
}

function nameSocketOrigin(request: Request): string {
  const host = request.headers.host ?? ''
  if (!/^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i.test(host)) return "'self'"
  return `${request.secure ? 'wss' : 'ws'}://${host}`
}

/**
 * Serves the built app. Files with a hash in their name never change; browsers revalidate
 * everything else each time. Any other address that a browser opens gets the app's page.
 * @param appDir the folder of the build; serves nothing if it is missing
 */
function serveApp({ appDir }: { appDir: string }): Router {
  const router = express.Router()
  const page = join(appDir, 'index.html')
  if (!appDir || !existsSync(page)) return router
  const allowStyles = createStyleAllowance(page)
  const setHeaders = (response: Response, path: string) => {
    setCaching(response, path)
    if (basename(path) === 'index.html') allowStyles(response)
  }
  const squeezed = serveCompressed({ dir: appDir, cache: setHeaders })
  router.use(squeezed)
  router.use(
    express.static(appDir, {
      index: false,
      redirect: false,
      cacheControl: false,
      setHeaders: (response, path) => setHeaders(response, path.slice(appDir.length)),
    }),
  )
  router.get('/{*path}', async (request, response, next) => {
    if (!isPageRequest(request)) return next()
    request.url = '/index.html'
    await squeezed(request, response, () => {
      setHeaders(response, request.path)
      response.sendFile(page)
    })
  })
  return router
}

/**
 * The page's own style rules, of its first paint, get through its policy by their hashes. A deployment may replace the
 * page meanwhile, so they are read again when it changes.
 */
function createStyleAllowance(page: string): (response: Response) => void {
  let known = { version: '', hashes: '' }
  return (response) => {
    const found = statSync(page, { throwIfNoEntry: false })
    if (!found) return
    const { size, mtimeMs } = found
    const version = `${size} ${mtimeMs}`
    if (version !== known.version) known = { version, hashes: hashStyles(page) }
    const policy = response.get('content-security-policy')
    if (known.hashes === '' || policy === undefined) return
    const allowed = policy.replace(/style-src [^;]*/, (styles) => `${styles} ${known.hashes}`)
    response.set('content-security-policy', allowed)
  }
}

function hashStyles(page: string): string {
  const styles = readFileSync(page, 'utf8').matchAll(/<style>(.*?)<\/style>/gs)
  return [...styles]
    .map(([, style = '']) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`)
    .join(' ')
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

/**
 * Answers requests for text files of a folder compressed, where the browser accepts it. Serves only
 * files found at the start: no address can reach outside of the folder.
 * @param cache sets the caching headers
 */
function serveCompressed(options: {
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

type Encoding = 'br' | 'gzip'

/**
 * Compresses each text file once, off the main thread, and caches the result while the file stays
 * the same. The build has written better Brotli, which would keep a browser waiting for seconds.
 */
function createCompressor() {
  const squeezed = new Map<string, { version: string; packed: Promise<Buffer> }>()

  async function pack(path: string, encoding: Encoding): Promise<Buffer> {
    const built = encoding === 'br' ? await readBuilt(path) : undefined
    if (built) return built
    const plain = await readFile(path, 'utf8')
    return encoding === 'br' ? await packBrotli(plain, brotliOptions) : await packGzip(plain)
  }

  /** @param file.version changes with the file's content */
  return (file: { path: string; version: string; encoding: Encoding }): Promise<Buffer> => {
    const { path, version, encoding } = file
    const key = `${encoding} ${path}`
    const kept = squeezed.get(key)
    if (kept?.version === version) return kept.packed
    const packed = pack(path, encoding)
    squeezed.set(key, { version, packed })
    packed.catch(() => squeezed.delete(key))
    return packed
  }
}

/** What the build compressed, unless the file has changed since then. */
async function readBuilt(path: string): Promise<Buffer | undefined> {
  const built = `${path}.br`
  const [file, packed] = await Promise.all([stat(path), stat(built).catch(() => undefined)])
  return packed && packed.mtimeMs >= file.mtimeMs ? await readFile(built) : undefined
}

/** Turns every error into an answer `{error, code, details?}`; logs only server faults. */
function createErrorHandler({ log }: { log: Log }): ErrorRequestHandler {
  return (thrown, request, response, _next) => {
    const refused = asRefusal(thrown)
    if (isPastEnd(request, thrown)) return
    request.refusalCode = refused.reason
    if (refused.status >= 500 && refused.status !== 507)
      log.error({ err: thrown, requestId: request.id }, 'request failed')
    // Express would write the error to stderr, with its stack.
    if (response.headersSent) return void response.destroy()
    const { message: error, reason: code, details, messageId } = refused
    const answer: ErrorAnswer = {
      error,
      code,
      ...(details !== undefined && { details }),
      ...(messageId !== undefined && { messageId }),
    }
    response.status(refused.status).set(refused.headers)
    if (refused.status === 401) response.set('www-authenticate', 'Bearer')
    // Does not wait for the rest of a body that is too large.
    if (refused.status === 413) response.set('connection', 'close')
    response.json(answer)
  }
}

/**
 * Errors of Express and its body parser carry a `type` or a `status`; anything else is a server
 * fault.
 */
function asRefusal(error: unknown): RequestRefused {
  if (error instanceof RequestRefused) return error
  if (error instanceof HasherBusy)
    return new RequestRefused('busy', { headers: { 'retry-after': '2' } })
  if (isStorageUnavailable(error)) {
    const headers = { 'retry-after': String(storageRetrySeconds) }
    return new RequestRefused('storage_unavailable', { headers, cause: error })
  }
  if (error instanceof PersonGone) return new RequestRefused('session_ended')
  const { type, status } = (error ?? {}) as { type?: unknown; status?: unknown }
  if (type === 'entity.too.large') return new RequestRefused('too_large')
  if (type === 'entity.parse.failed') return new RequestRefused('not_json')
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new RequestRefused(reasonForStatus(status))
  }
  return new RequestRefused('internal_error')
}

function reasonForStatus(status: number): ApiErrorCode {
  const known: ApiErrorCode[] = ['not_found', 'too_large', 'json_required']
  return known.find((code) => apiErrors[code].status === status) ?? 'invalid_input'
}
