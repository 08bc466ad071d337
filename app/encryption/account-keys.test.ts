import { createPrivateKey, createPublicKey, hkdfSync, webcrypto } from 'node:crypto'
import { ed25519, x25519 } from '@noble/curves/ed25519.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, test } from 'vitest'
import { publicKeysText, publishedKeys, wrappedSeed } from '../../schema/encryption/account-keys.ts'
import {
  CannotUnwrap,
  checkPublishedKeys,
  createSeed,
  deriveAccountKeys,
  publishKeys,
  unwrapSeed,
  wrapSeed,
} from './account-keys.ts'
import { fromBase64Url, toBase64Url } from './base64-url.ts'
import { deriveEpoch } from './sealed-message.ts'

const ann = '01900000-0000-7000-8000-00000000000a'
const ben = '01900000-0000-7000-8000-00000000000b'
const seed = Uint8Array.from({ length: 32 }, (_, at) => at)
const otherSeed = Uint8Array.from({ length: 32 }, (_, at) => 255 - at)
const wrapKey = new Uint8Array(32).fill(7)

/** What the first build made; kept for ever, because people's words depend on it. */
const kept = {
  ann: {
    v: 1,
    number: 1,
    agreement: 'zswx_3WOwpvUv-3BzfT1PdkUN47eICF7XaAhVFepoyA',
    signing: 'ig7hpUmkBoWW0kToLGjS8otjpjjjCBlWaZ25UdVqNeM',
    signature:
      'hI2ahyhpcdmNZNXs4weiDiapdxk4-3aGPoLbOkFHpyMsT1rbebxI8A_NDjWNBrp9SbkmxGcjmJJO5SvkMapNCg',
  },
  ben: {
    v: 1,
    number: 2,
    agreement: 'c7IiIHnA2nXsLN_8ldb0zjiKAe8HSiyWiG635fNKkXk',
    signing: 'KIug4S2NVj1sAhTEip6Phnte-bshUV4-hRWyVony3nc',
    signature:
      '65LEy7dChXtgzlmHbRVm0oDvcwnUnHV1rKcXBNLDT5YgjJLV2ACLuWwXR8VDFhYvz5NuoHE1gp6mkunw8qYhBg',
  },
  byPassword: {
    v: 1 as const,
    number: 1,
    box: 'G2hgs-pA6RAosqnKf2ZhnaPwhFJQYebIRgGSLx5dXOzZeDCLw4wm6O3670SR-eNz-73JeEFrIDawUUBJ',
  },
  byRecoveryKey: {
    v: 1 as const,
    number: 1,
    box: '7HzmArm_XpE8ZSMtMjDfIyQiTnnSFJ3Rf2XbQDdf7_baPWv-4tV7-eUnJiAac1Hly3aPo_MJMKCmJta1',
  },
}

describe('vectors', () => {
  test('X25519: RFC 7748, section 5.2', () => {
    const product = x25519.scalarMult(
      hexToBytes('a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4'),
      hexToBytes('e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c'),
    )
    expect(bytesToHex(product)).toBe(
      'c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552',
    )
  })

  test('Ed25519: RFC 8032, section 7.1, test 1', () => {
    const secret = hexToBytes('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60')
    expect(bytesToHex(ed25519.getPublicKey(secret))).toBe(
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    )
    expect(bytesToHex(ed25519.sign(new Uint8Array(), secret))).toBe(
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    )
  })

  test('HKDF: RFC 5869, appendix A.3, without a salt', () => {
    const okm = hkdf(sha256, new Uint8Array(22).fill(0x0b), undefined, undefined, 42)
    expect(bytesToHex(okm)).toBe(
      '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
    )
  })
})

describe('keys of a seed', () => {
  test('are the ones that they were in the first build', () => {
    expect(publishKeys(deriveAccountKeys({ seed, number: 1 }), ann)).toEqual(kept.ann)
    expect(publishKeys(deriveAccountKeys({ seed: otherSeed, number: 2 }), ben)).toEqual(kept.ben)
    expect(publishedKeys.parse(kept.ann)).toEqual(kept.ann)
  })

  test('are those that another implementation derives, and its signature check takes', async () => {
    const keys = deriveAccountKeys({ seed, number: 1 })
    const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', seed, '', purpose, 32))
    expect(Buffer.from(keys.agreement.secretKey)).toEqual(derive('petrel account v1 agreement'))
    expect(Buffer.from(keys.signing.secretKey)).toEqual(derive('petrel account v1 signing'))
    const prefix = '302e020100300506032b656e04220420'
    const agreement = createPrivateKey({
      key: Buffer.from(prefix + bytesToHex(keys.agreement.secretKey), 'hex'),
      format: 'der',
      type: 'pkcs8',
    })
    expect(createPublicKey(agreement).export({ format: 'jwk' }).x).toBe(kept.ann.agreement)
    const { subtle } = webcrypto
    const read = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
    const signing = await subtle.importKey('raw', read(kept.ann.signing), 'Ed25519', false, [
      'verify',
    ])
    const text = new TextEncoder().encode(publicKeysText(kept.ann, ann))
    expect(await subtle.verify('Ed25519', signing, read(kept.ann.signature), text)).toBe(true)
  })

  test('differ with each seed', () => {
    const seeds = [createSeed(), createSeed()]
    const [one, two] = seeds.map((each) => deriveAccountKeys({ seed: each, number: 1 }))
    expect(seeds.map(({ length }) => length)).toEqual([32, 32])
    expect(one?.agreement.publicKey).not.toEqual(two?.agreement.publicKey)
    expect(one?.agreement.secretKey).not.toEqual(one?.signing.secretKey)
  })
})

describe('published keys', () => {
  test('count for their own person alone', () => {
    expect(checkPublishedKeys(kept.ann, ann)).toBe(true)
    expect(checkPublishedKeys(kept.ben, ben)).toBe(true)
    expect(checkPublishedKeys(kept.ann, ben)).toBe(false)
  })

  test.each([
    ['another number', { number: 2 }],
    ['another format', { v: 2 }],
    ['another agreement key', { agreement: kept.ben.agreement }],
    ['another signing key', { signing: kept.ben.signing }],
    ['another signature', { signature: kept.ben.signature }],
    ['no signature', { signature: '' }],
    ['a cut key', { agreement: kept.ann.agreement.slice(1) }],
    ['a key of no point', { signing: toBase64Url(new Uint8Array(32).fill(255)) }],
    ['no base64url', { agreement: '!' }],
  ])('do not count with %s', (_what, change) => {
    expect(checkPublishedKeys({ ...kept.ann, ...change }, ann)).toBe(false)
  })
})

/** All that X25519 reads as a point of low order: RFC 7748, section 6.1. */
const lowOrder = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  // The prime 2^255 - 19 and its neighbours.
  ...['ec', 'ed', 'ee'].map((first) => `${first}${'ff'.repeat(30)}7f`),
].map(hexToBytes)

test.each(lowOrder.flatMap((point) => [point, withHighBit(point)]))(
  'P13: keys with a point of low order count for nobody, and no server takes them (number %#)',
  (point) => {
    const keys = deriveAccountKeys({ seed: createSeed(), number: 1 })
    expect(() => deriveEpoch(keys, point)).toThrow()
    keys.agreement.publicKey = point
    const published = publishKeys(keys, ann)
    expect(checkPublishedKeys(published, ann)).toBe(false)
    expect(publishedKeys.safeParse(published).success).toBe(false)
  },
)

function withHighBit(point: Uint8Array) {
  const octets = Uint8Array.from(point)
  octets[31] = (octets[31] ?? 0) | 0x80
  return octets
}

describe('a wrapped seed', () => {
  const byPassword = { userId: ann, way: 'password' as const }

  test('of the first build opens', () => {
    expect(unwrapSeed(kept.byPassword, wrapKey, byPassword)).toEqual(
      deriveAccountKeys({ seed, number: 1 }),
    )
    const byRecoveryKey = { userId: ann, way: 'recovery' as const }
    expect(unwrapSeed(kept.byRecoveryKey, wrapKey, byRecoveryKey).seed).toEqual(seed)
  })

  test('opens again, and is never the same twice', () => {
    const boxes = [1, 2].map(() => wrapSeed({ seed, number: 1 }, wrapKey, byPassword))
    for (const wrapped of boxes) {
      expect(wrappedSeed.parse(wrapped)).toEqual(wrapped)
      expect(unwrapSeed(wrapped, wrapKey, byPassword).seed).toEqual(seed)
    }
    expect(boxes[0]?.box).not.toBe(boxes[1]?.box)
  })

  test.each([
    ['another secret', {}, new Uint8Array(32).fill(8), byPassword],
    ['another person', {}, wrapKey, { ...byPassword, userId: ben }],
    ['another way in', {}, wrapKey, { ...byPassword, way: 'recovery' as const }],
    ['another number', { number: 2 }, wrapKey, byPassword],
    ['a changed box', { box: `H${kept.byPassword.box.slice(1)}` }, wrapKey, byPassword],
    ['a cut box', { box: kept.byPassword.box.slice(4) }, wrapKey, byPassword],
  ])('stays closed to %s', (_what, change, secret, place) => {
    const open = () => unwrapSeed({ ...kept.byPassword, ...change }, secret, place)
    expect(open).toThrow(CannotUnwrap)
  })
})

test('base64url has one way to write bytes', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
  expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes)
  expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'))
  expect(() => fromBase64Url('AB')).toThrow('one way')
  expect(() => fromBase64Url('A+')).toThrow('not base64url')
})
