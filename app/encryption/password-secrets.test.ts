import { hkdfSync, scryptSync } from 'node:crypto'
import { scryptAsync } from '@noble/hashes/scrypt.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { scrypt } from 'hash-wasm'
import { describe, expect, test, vi } from 'vitest'
import type { PasswordDerivation } from '../../schema/encryption/password-derivation.ts'
import { derivePasswordSecrets, WeakDerivation } from './password-secrets.ts'

const derivation: PasswordDerivation = {
  v: 1,
  salt: 'AAECAwQFBgcICQoLDA0ODw',
  logN: 15,
  r: 8,
  p: 3,
}

/** What the first build made; kept for ever, because sign-ins and wrapped seeds depend on it. */
const kept = {
  secret: 'iJvZPBp6omJ3XKlYug5vVtW2RNhDUUOatkArmX9W7FE',
  wrapKey: 'XoFp5qMPGB0DbVMooaM0uMUyEZI3tG8gS8SJUfPJwow',
}

test('scrypt of both implementations: RFC 7914, section 12', async () => {
  const given = { password: 'pleaseletmein', salt: 'SodiumChloride' }
  const expected =
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887'
  const cost = { costFactor: 16_384, blockSize: 8, parallelism: 1, hashLength: 64 }
  expect(await scrypt({ ...given, ...cost, outputType: 'hex' })).toBe(expected)
  const other = await scryptAsync(utf8ToBytes(given.password), utf8ToBytes(given.salt), {
    N: 16_384,
    r: 8,
    p: 1,
    dkLen: 64,
  })
  expect(bytesToHex(other)).toBe(expected)
})

describe('the secrets of a password', () => {
  test('are those of the first build, and of the server’s own derivation', async () => {
    const { shown, wrapKey } = await derivePasswordSecrets('correct horse', derivation)
    expect(shown).toEqual({ v: 1, salt: derivation.salt, secret: kept.secret })
    expect(Buffer.from(wrapKey).toString('base64url')).toBe(kept.wrapKey)
    const salt = new Uint8Array(Buffer.from(derivation.salt, 'base64url'))
    const root = scryptSync('correct horse', salt, 32, {
      N: 2 ** 15,
      r: 8,
      p: 3,
      maxmem: 2 ** 27,
    })
    const secret = hkdfSync('sha256', new Uint8Array(root), '', 'petrel password v1 sign-in', 32)
    expect(Buffer.from(secret).toString('base64url')).toBe(kept.secret)
  })

  test('are the same where no WebAssembly runs', async () => {
    vi.doMock('hash-wasm', () => {
      throw new Error('no WebAssembly')
    })
    const { shown } = await derivePasswordSecrets('correct horse', derivation)
    expect(shown.secret).toBe(kept.secret)
    vi.doUnmock('hash-wasm')
  })

  test('differ with the password and the salt', async () => {
    const [one, two] = await Promise.all([
      derivePasswordSecrets('Correct horse', derivation),
      derivePasswordSecrets('correct horse', { ...derivation, salt: 'AAECAwQFBgcICQoLDA0ODg' }),
    ])
    expect(new Set([kept.secret, one.shown.secret, two.shown.secret]).size).toBe(3)
  })

  test('come with the hash by which an older account is known, where a server asks for it', async () => {
    const earlier = { salt: 'abcdefghijklmnopqrstuu', cost: 10 }
    const { shown } = await derivePasswordSecrets('correct horse', { ...derivation, earlier })
    expect(shown).toEqual({
      v: 1,
      salt: derivation.salt,
      secret: kept.secret,
      earlier: '23JPZtHcGhwXSF41f93o/7vBdDut3Xu',
    })
  })

  test.each([
    ['fewer rounds', { logN: 14 }],
    ['more memory than a device has', { logN: 19 }],
    ['smaller blocks', { r: 4 }],
    ['less work', { p: 1 }],
    ['endless work', { p: 9 }],
    ['a short salt', { salt: 'AAAA' }],
    ['another format', { v: 2 }],
    ['an older hash that is cheap', { earlier: { salt: 'abcdefghijklmnopqrstuu', cost: 9 } }],
    ['an older hash that never ends', { earlier: { salt: 'abcdefghijklmnopqrstuu', cost: 15 } }],
  ])('are not derived for %s', async (_what, change) => {
    const derived = derivePasswordSecrets('correct horse', { ...derivation, ...change })
    await expect(derived).rejects.toBeInstanceOf(WeakDerivation)
  })
})
