import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Do these bytes come from Meta? The signature covers the raw bytes: re-serialised JSON with an
 * emoji differs.
 * @param header the value of `X-Hub-Signature-256`; ignores the older SHA-1 header
 */
export function checkSignature(webhook: {
  rawBody: Uint8Array
  header: unknown
  appSecret: string
}): 'right' | 'wrong' | 'missing' {
  const { rawBody, header, appSecret } = webhook
  if (header === undefined || header === '') return 'missing'
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(String(header)) ?? []
  if (!hex) return 'wrong'
  const given = Uint8Array.from(Buffer.from(hex, 'hex'))
  const own = Uint8Array.from(createHmac('sha256', appSecret).update(rawBody).digest())
  return timingSafeEqual(given, own) ? 'right' : 'wrong'
}
