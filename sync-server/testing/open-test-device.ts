import { webcrypto } from 'node:crypto'
import { type ProofPurpose, proofText } from '../../schema/api/device-link.ts'
import type { TestApp } from './start-test-app.ts'

const { subtle } = webcrypto
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** For tests: a device without a sign-in that shows its code. */
export async function openTestDevice(app: TestApp, headers: Record<string, string> = {}) {
  const { publicKey, privateKey } = await subtle.generateKey(algorithm, false, ['sign'])
  const raw = Buffer.from(await subtle.exportKey('raw', publicKey)).toString('base64url')
  const begin = () =>
    app.call('POST', '/api/auth/device-links', { body: { publicKey: raw }, headers })
  const begun = await begin()
  if (begun.status !== 201) throw new Error(`The device has no code: ${begun.text}`)
  const { id, challenge } = begun.body as { id: string; challenge: string }

  async function sign(given: { purpose: ProofPurpose; challenge: string; id: string }) {
    const text = new TextEncoder().encode(proofText(given))
    return Buffer.from(await subtle.sign(algorithm, privateKey, text)).toString('base64url')
  }

  async function send(
    purpose: ProofPurpose,
    more: { challenge?: string; id?: string; at?: TestApp; body?: object } = {},
  ) {
    const given = { id, challenge, ...more }
    const signature = await sign({ ...given, purpose })
    const body = { signature, ...more.body }
    const path = `/api/auth/device-links/${given.id}/${purpose}`
    return await (more.at ?? app).call('POST', path, { body, headers })
  }

  return {
    id,
    challenge,
    begun: begun.body,
    /** Begins with the same key once more. */
    beginAgain: begin,
    send,
    wait: (seen: string, at?: TestApp) => send('wait', { body: { seen }, ...(at && { at }) }),
    /** Signs in, with the challenge that came with the approval. */
    async complete(more: { at?: TestApp; challenge?: string; body?: object } = {}) {
      const step = await send('wait', { body: { seen: 'scanned' }, ...more })
      return await send('complete', { challenge: step.body.challenge ?? '', ...more })
    },
  }
}
