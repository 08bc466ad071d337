import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const dayMs = 24 * 60 * 60 * 1000
const ecdsaWithSha256 = encode(0x30, Buffer.from('06082a8648ce3d040302', 'hex'))
const commonName = Buffer.from('0603550403', 'hex')
const subjectAltName = Buffer.from('0603551d11', 'hex')

/**
 * For tests: a key and a self-signed certificate for 127.0.0.1, as PEM. Source: RFC 5280, section
 * 4.1.
 */
export function makeTestCertificate(): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = encode(0x30, encode(0x31, encode(0x30, commonName, encode(0x0c, 'petrel test'))))
  const address = encode(0x30, encode(0x87, [127, 0, 0, 1]))
  const extension = encode(0x30, subjectAltName, encode(0x04, address))
  const content = encode(
    0x30,
    encode(0xa0, encode(0x02, [2])),
    encode(0x02, [1], randomBytes(8)),
    ecdsaWithSha256,
    name,
    encode(0x30, encodeTime(Date.now() - dayMs), encodeTime(Date.now() + dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encode(0xa3, encode(0x30, extension)),
  )
  const signature = encode(0x03, [0], sign('sha256', content, privateKey))
  const der = encode(0x30, content, ecdsaWithSha256, signature)
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** One element of DER: its tag, its length, its content. */
function encode(tag: number, ...parts: (Iterable<number> | string)[]): Uint8Array {
  const content = parts.flatMap((part) => [
    ...(typeof part === 'string' ? new TextEncoder().encode(part) : part),
  ])
  const { length } = content
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255]
  return Uint8Array.from([tag, ...size, ...content])
}

/** @param time epoch ms */
function encodeTime(time: number): Uint8Array {
  const digits = new Date(time).toISOString().replace(/[-:T]|\.\d+/g, '')
  return encode(0x17, digits.slice(2))
}
