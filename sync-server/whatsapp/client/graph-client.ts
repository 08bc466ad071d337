import { createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import { parseJson } from '../../../schema/helpers/json.ts'
import {
  makeUnreachableError,
  makeUnreadableError,
  type ProviderError,
  readProviderError,
} from './provider-error.ts'
import type { WhatsAppSettings } from './whatsapp-settings.ts'

const figures = z.object({
  call_count: z.optional(z.number()),
  total_cputime: z.optional(z.number()),
  total_time: z.optional(z.number()),
  estimated_time_to_regain_access: z.optional(z.number()),
})

const ofAccounts = z.record(z.string(), z.array(figures))

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

/**
 * The used part of the hourly quota, in percent, and the minutes until it resets once exhausted.
 */
interface Usage {
  percent: number
  regainMinutes: number
}

/** Reads the quota from Graph's headers. Source: its page "Rate Limits". */
function readUsage(headers: Headers): Usage | null {
  const own = figures.safeParse(parse(headers.get('x-app-usage')))
  const accounts = ofAccounts.safeParse(parse(headers.get('x-business-use-case-usage')))
  const all = [
    ...(own.success ? [own.data] : []),
    ...(accounts.success ? Object.values(accounts.data).flat() : []),
  ]
  if (all.length === 0) return null
  const percents = all.flatMap(({ call_count = 0, total_cputime = 0, total_time = 0 }) => [
    call_count,
    total_cputime,
    total_time,
  ])
  const waits = all.map(
    ({ estimated_time_to_regain_access = 0 }) => estimated_time_to_regain_access,
  )
  return { percent: Math.max(...percents), regainMinutes: Math.max(...waits) }
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
