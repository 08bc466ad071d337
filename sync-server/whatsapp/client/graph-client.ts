import { createHmac } from 'node:crypto'
import { parseJson } from '../../../schema/helpers/parse-json.ts'
import type { ProviderError } from './provider-error.ts'
import { makeUnreachableError, makeUnreadableError, readProviderError } from './provider-error.ts'
import { readUsage, type Usage } from './read-usage.ts'
import type { WhatsAppSettings } from './whatsapp-settings.ts'

/**
 * How a call ended. `refused`: the answer said no, or nothing was sent. `unknown`: it may have been
 * accepted, but no readable answer came back.
 */
export type GraphAnswer =
  | { kind: 'ok'; body: unknown; usage: Usage | null }
  | { kind: 'refused'; error: ProviderError; usage: Usage | null }
  | { kind: 'unknown'; why: string }

export interface GraphRequest {
  method: 'GET' | 'POST' | 'DELETE'
  /** After the version, encoded: `106…/messages`. */
  path: string
  query?: Record<string, string>
  json?: unknown
  form?: FormData
  timeoutMs?: number
}

export type GraphClient = ReturnType<typeof createGraphClient>

/** Shorter texts are not secrets, and redacting them would remove other words. */
const isLong = (secret: string) => secret.length >= 12
const answerMaxBytes = 4 * 1024 * 1024

/** A client for Meta's Graph API at `graphBaseUrl`. Never throws for the network. */
export function createGraphClient({
  settings,
}: {
  settings: Pick<
    WhatsAppSettings,
    'graphBaseUrl' | 'apiVersion' | 'accessToken' | 'appSecret' | 'isProofSent' | 'sendTimeoutMs'
  >
}) {
  const { graphBaseUrl, apiVersion, accessToken, appSecret, isProofSent } = settings
  const proof = createHmac('sha256', appSecret).update(accessToken).digest('hex')

  function locate({ path, query = {} }: GraphRequest): URL {
    const url = new URL(`${graphBaseUrl}/${apiVersion}/${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    if (isProofSent) url.searchParams.set('appsecret_proof', proof)
    return url
  }

  /** Meta quotes an unreadable token in its error, whose text is logged and shown. */
  const removeSecrets = (text: string) =>
    [accessToken, appSecret, proof]
      .filter(isLong)
      .reduce((left, secret) => left.replaceAll(secret, '[removed]'), text)

  return {
    async call(request: GraphRequest): Promise<GraphAnswer> {
      const { method, json, form, timeoutMs = settings.sendTimeoutMs } = request
      const body = form ?? (json === undefined ? null : JSON.stringify(json))
      try {
        const response = await fetch(locate(request), {
          method,
          headers: {
            authorization: `Bearer ${accessToken}`,
            'user-agent': 'Petrel',
            ...(json !== undefined && { 'content-type': 'application/json' }),
          },
          body,
          // A redirect would carry the token to wherever it points.
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs),
        })
        return await readAnswer(response, removeSecrets)
      } catch (error) {
        return isBeforeSending(error)
          ? { kind: 'refused', error: makeUnreachableError(), usage: null }
          : { kind: 'unknown', why: nameFailure(error) }
      }
    },
  }
}

async function readAnswer(
  response: Response,
  removeSecrets: (text: string) => string,
): Promise<GraphAnswer> {
  const usage = readUsage(response.headers)
  const length = Number(response.headers.get('content-length') ?? 0)
  if (length > answerMaxBytes) {
    await response.body?.cancel()
    return { kind: 'unknown', why: 'the answer was too large' }
  }
  const body = parseJson(removeSecrets(await response.text()))
  if (response.ok && body !== undefined) return { kind: 'ok', body, usage }
  const error = readProviderError(body, response.status)
  if (error) return { kind: 'refused', error, usage }
  // A page from an intermediary says nothing about the call's outcome.
  if (response.ok || response.status >= 500) {
    return { kind: 'unknown', why: `HTTP ${response.status} without an answer of WhatsApp` }
  }
  return { kind: 'refused', error: makeUnreadableError(response.status), usage }
}

const connectCodes = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]

interface NetworkError {
  code?: string
  syscall?: string
  name?: string
  cause?: NetworkError
}

/** Did it fail while connecting, before sending a byte? Only then is a retry safe. */
function isBeforeSending(error: unknown): boolean {
  const { code = '', syscall } = (error as NetworkError).cause ?? {}
  return connectCodes.includes(code) || syscall === 'connect'
}

/** The error's name only: messages of network errors can contain addresses. */
function nameFailure(error: unknown): string {
  const { name, cause } = error as NetworkError
  return cause?.code ?? name ?? 'network error'
}
